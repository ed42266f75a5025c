#include "machine/presets.hpp"
#include "machine/presets/published.hpp"

namespace ww {
namespace {

constexpr double us = 1e-6, measured_bytes = 2000;  // the sizes that were measured go from 16 to here

Segment line(double base_us, double us_per_byte) {
  const double base_s = base_us * us, slope_s = us_per_byte * us;
  return {0, measured_bytes, base_s, slope_s, {base_s, base_s}, {slope_s, slope_s}};
}

}  // namespace

// Krumme, Greenfield 1988 (S1), Table 3. The lines are those of the document, which miss its own Table 1 by
// more than twice the printed deviation at 8 of 30 cells (model_test.cpp names them). The receive of a
// message that is waited for takes F + E + U from the begin of its send; A runs before the message comes.
MachineModel ncube_seven() {
  MachineModel model;
  model.name = "ncube-seven";
  model.clock_hz = 7e6;
  model.costs = {.F = {{line(160, 0.60)}},
                 .S = {{line(150, 0.01)}},
                 .R = {{line(180, 0.04)}},
                 .A = {{line(120, 0)}},
                 .U = {{line(130, 0.61)}},
                 .E = {{line(220, 1.285)}}};
  Link link;
  link.between = Place::inter;
  const Segment one_way = line(160 + 220 + 130, 0.60 + 1.285 + 0.61);
  link.one_way.segments = {one_way};
  link.latency_s = one_way.base_s + one_way.seconds_per_byte;
  link.latency_ci_s = {link.latency_s, link.latency_s};
  // the channel moves a message in one piece, at a pace that its sender sets
  link.wire = published::wire(1.285 * us, published::in_one_piece, 0);
  model.links = {link};
  Hypercube cube;  // 64 nodes; appendix B: a tick is 1024 periods of the processor's clock
  cube.clock_tick_s = 1024 / model.clock_hz;
  // The document subtracts what a call of the clock costs and does not print it: as its cheapest call, A.
  cube.clock_call_s = 120 * us;
  // The one number of the contention model, such that a node whose three neighbours stream through it
  // computes 3.78 times as long (S1, 5.2); docs/machine-model.md says what follows from it.
  cube.memory_channels = 6.51;
  model.hypercube = cube;
  model.alpha_cycles = one_way.base_s * model.clock_hz;
  model.beta_cycles_per_byte = one_way.seconds_per_byte * model.clock_hz;
  model.flags = {
      "neighbouring nodes of a quiet hypercube; each further hop adds E, and R + S on the node between",
      "measured from 16 to 2000 bytes; beyond, the lines go on"};
  return model;
}
const Preset ncube_seven_preset{"ncube-seven", "NCUBE/seven hypercube at 7 MHz, neighbours: six lines",
                                "Krumme, Greenfield 1988 (S1)", ncube_seven};

}  // namespace ww

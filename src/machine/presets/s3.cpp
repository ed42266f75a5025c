#include "machine/presets.hpp"
#include "machine/presets/published.hpp"

namespace ww {
namespace {

// Antonishek, Snelick 1990 (S3), Table 1, EX2, and section 3.4.2: of a node's time 5.1% are communication
// interrupts, 1.5% sends and 73.5% receive wait, which is 10.0 s.
constexpr double elapsed_s = 10.0 / 0.735, interrupts_s = 0.051 * elapsed_s, sends_s = 0.015 * elapsed_s;
constexpr double nodes = 16, messages_of_a_node = 100;  // the latter is not printed: it sets the scale only
constexpr double visits = nodes * messages_of_a_node;   // of messages to a node; each is acknowledged
// A node's software for a message and its acknowledgement. That its receive wait falls faster than 1 / D
// (10.0, 3.85, 0.8 s at D = 1, 2, 4) says that each node has several messages on their way; with two, the
// ring handles one a crossing and software (docs/dilation.md).
constexpr double software_s = (interrupts_s + sends_s) / visits;
constexpr double crossing_s = elapsed_s / visits - software_s;
constexpr double largest_bytes = 1024;

Segment flat(double seconds) {
  return {0, largest_bytes, seconds, 0, {seconds, seconds}, {0, 0}};
}

}  // namespace

// The machine that S3 implies: a hypercube of 16 nodes whose messages take no longer than their
// acknowledgements. Only ratios are S3's.
MachineModel s3_hypercube() {
  MachineModel model;
  model.name = "s3-hypercube";
  const double send_s = sends_s / visits / 2, receive_s = interrupts_s / visits / 2;
  model.costs.F = {{flat(send_s)}};
  model.costs.A = {{flat(0)}};
  model.costs.U = {{flat(receive_s)}};
  Link link;
  link.between = Place::inter;
  const Segment one_way = flat(send_s + crossing_s + receive_s);
  link.one_way.segments = {one_way};
  link.latency_s = one_way.base_s;
  link.latency_ci_s = one_way.base_ci_s;
  model.links = {link};
  Hypercube cube;
  cube.dimensions = 4;
  model.hypercube = cube;
  model.flags = {
      "derived from the shares and the 10.0 s of S3's second example by docs/dilation.md; S3 prints no time "
      "of a "
      "message",
      "in units of 100 messages of each node, which S3 does not print either: only ratios are S3's",
      "messages of one packet between neighbours, which take as long as their acknowledgements"};
  return model;
}
const Preset s3_hypercube_preset{"s3-hypercube",
                                 "16-node hypercube of 1990, neighbours, one packet: only ratios are known",
                                 "derived from Antonishek, Snelick 1990 (S3)", s3_hypercube};

}  // namespace ww

#include "machine/presets.hpp"

namespace ww {
namespace {

Segment line(double to_bytes, double base_s, double seconds_per_byte) {
  return {0, to_bytes, base_s, seconds_per_byte, {base_s, base_s}, {seconds_per_byte, seconds_per_byte}};
}

}  // namespace

// Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010. A message of n bytes takes o + L + (n - 1) G + o and
// keeps the port for g + (n - 1) G; here the gap g is written as bytes on a wire of G seconds a byte.
MachineModel loggops_default() {
  constexpr double L = 2500e-9, o = 1500e-9, g = 1000e-9, G = 6e-9, S = 65535, largest = 4194304;
  MachineModel model;
  model.name = "loggops-default";
  Link link;
  link.between = Place::inter;
  link.one_way.segments = {line(largest, 2 * o + L - G, G)};
  link.latency_s = 2 * o + L;
  link.latency_ci_s = {link.latency_s, link.latency_s};
  link.eager_threshold_bytes = S;
  Wire wire;
  wire.seconds_per_byte = G;
  wire.seconds_per_byte_ci = {G, G};
  wire.frame_payload_bytes = largest;
  wire.frame_overhead_bytes = 0;
  wire.message_overhead_bytes = (g - G) / G;
  link.wire = wire;
  model.links = {link};
  model.loggops = LogGops{L, o, g, G, 0, S};
  model.costs.F.segments = {line(largest, o, 0)};
  model.costs.U.segments = {line(largest, o, 0)};
  return model;
}
const Preset loggops_default_preset{
    "loggops-default", "LogGOPSim's defaults: L 2500 ns, o 1500, g 1000, G 6 ns a byte, O 0, S 65535 bytes",
    "Hoefler, Schneider, Lumsdaine 2010", loggops_default};

}  // namespace ww

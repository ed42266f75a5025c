#include "machine/latency.hpp"

#include <algorithm>

namespace ww {
double smooth_serialisation_s(const Wire& wire, double bytes, bool rendezvous) {
  double serialisation = wire.serialisation_s(bytes, rendezvous);
  if (const double frames = wire.frames(bytes); frames > exact_frames) {
    const double mean_frames = (bytes + wire.message_overhead_bytes) / wire.frame_payload_bytes + 0.5;
    serialisation += wire.seconds_per_byte * wire.frame_overhead_bytes * (mean_frames - frames);
  }
  return serialisation;
}

double software_s(const Costs& costs, const std::optional<Wire>& wire, double bytes) {
  if (wire) bytes = std::min(bytes, wire->frame_payload_bytes);
  return std::max(0.0, costs.F.at(bytes)) + std::max(0.0, costs.U.at(bytes));
}

Latency latency_of(const Costs& costs, const Link& link) {
  Latency out;
  if (link.one_way.empty()) return out;
  out.bytes = std::max(1.0, link.one_way.segments.front().from_bytes);
  const double whole_s = link.one_way.at(out.bytes);
  if (link.wire)
    out.serialisation_s = smooth_serialisation_s(*link.wire, out.bytes, link.rendezvous(out.bytes));
  out.software_s =
      std::clamp(software_s(costs, link.wire, out.bytes), 0.0, std::max(0.0, whole_s - out.serialisation_s));
  out.s = std::max(0.0, whole_s - out.serialisation_s - out.software_s);
  const double no_latency_s = out.serialisation_s + out.software_s;
  out.ci_s = {std::clamp(link.latency_ci_s.low - no_latency_s, 0.0, out.s),
              std::max(out.s, link.latency_ci_s.high - no_latency_s)};
  return out;
}

}  // namespace ww

#include "machine/model.hpp"

#include <algorithm>
#include <cmath>

#include "base/same_math.hpp"

namespace ww {

const Segment& Curve::segment_at(double bytes) const {
  WW_INVARIANT(!segments.empty());
  for (const Segment& segment : segments)
    if (bytes <= segment.to_bytes) return segment;
  return segments.back();
}

double Curve::at(double bytes) const {
  if (segments.empty()) return 0;
  const Segment& segment = segment_at(bytes);
  return segment.base_s + segment.seconds_per_byte * bytes;
}

const char* to_string(Place place) {
  return place == Place::inter ? "inter" : "intra";
}

double Wire::frames(double message_bytes) const {
  return std::max(1.0, std::ceil((message_bytes + message_overhead_bytes) / frame_payload_bytes));
}

double Wire::wire_bytes(double message_bytes) const {
  return message_bytes + message_overhead_bytes + frame_overhead_bytes * frames(message_bytes);
}

double Wire::serialisation_s(double message_bytes, bool rendezvous) const {
  const double first_frame =
      frames(message_bytes) > 1 ? frame_payload_bytes + frame_overhead_bytes : wire_bytes(message_bytes);
  double bytes = wire_bytes(message_bytes) + (stages - 1) * first_frame;
  if (rendezvous) bytes += stages * handshake_frames * handshake_frame_bytes;
  if (frames(message_bytes) > 1) bytes += acknowledgement_frame_bytes;
  return seconds_per_byte * bytes;
}

double Wire::port_busy_s(double message_bytes) const {
  return seconds_per_byte * wire_bytes(message_bytes);
}

bool Link::rendezvous(double message_bytes) const {
  return eager_threshold_bytes && message_bytes > *eager_threshold_bytes;
}

double Link::two_way_efficiency(double message_bytes) const {
  if (!wire) return 1;
  const bool above = rendezvous(message_bytes);
  const TwoWay *below = nullptr, *next = nullptr;
  for (const TwoWay& point : wire->two_way) {
    if (rendezvous(point.bytes) != above) continue;
    if (point.bytes <= message_bytes) below = &point;
    if (point.bytes >= message_bytes && next == nullptr) next = &point;
  }
  if (below == nullptr && next == nullptr)
    return above ? wire->two_way_efficiency
                 : wire->two_way_efficiency_eager.value_or(wire->two_way_efficiency);
  if (below == nullptr || next == nullptr || below == next)
    return (below != nullptr ? below : next)->efficiency;
  const double part = same_log(message_bytes / below->bytes) / same_log(next->bytes / below->bytes);
  return below->efficiency + part * (next->efficiency - below->efficiency);
}

const Link* MachineModel::link(Place place) const {
  for (const Link& candidate : links)
    if (candidate.between == place) return &candidate;
  return nullptr;
}

}  // namespace ww

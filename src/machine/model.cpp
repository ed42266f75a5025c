#include "machine/model.hpp"

#include <algorithm>
#include <cmath>

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

const Link* MachineModel::link(Place place) const {
  for (const Link& candidate : links)
    if (candidate.between == place) return &candidate;
  return nullptr;
}

}  // namespace ww

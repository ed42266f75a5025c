// Presets made of a published table of ping-pong times: the points as they were printed, segments fitted to
// them, and the jumps between segments that a protocol explains.
#pragma once
#include <string>
#include <vector>

#include "machine/model.hpp"

namespace ww::published {

struct Row {
  double bytes, us;
  bool fitted = true;  // false: shown, but not believed; a flag of the preset says why
};

// The library changes how it sends somewhere above `below_bytes` and not above `above_bytes`, neighbouring
// sizes of the table.
struct Break {
  double below_bytes, above_bytes;
  const char* cause;
};

// Half round trips between hosts. Segments by weighted regression (stats::fit_segments); their intervals are
// as wide as the largest relative distance of a point of the segment from it, since such tables print no
// spread. The latency is the fitted time of the smallest message.
Link link_of(const std::vector<Row>& table, const std::vector<Break>& breaks);

// Segments go on to `to_bytes` at this rate.
void extend(Link& link, double to_bytes, double bytes_per_s);

// Flags of such presets.
inline constexpr const char* points_are_printed =
    "points are what the source printed, one number a size, without a spread";
inline constexpr const char* costs_are_empty =
    "software and wire are not told apart by a source; costs F, S, R, A, U, E are empty";

// A frame that no message fills: any message is moved in one piece.
inline constexpr double in_one_piece = 1 << 30;
// Of a rate that is taken as known, passed once.
Wire wire(double seconds_per_byte, double frame_payload_bytes, double frame_overhead_bytes);
// TCP over IPv4 with time stamps at an MTU of 1500: 1448 bytes of data in a frame; 52 bytes of IP and TCP, 18
// of Ethernet header and check, 8 of preamble and 12 of gap beside them (IEEE 802.3, RFC 791, 793, 7323).
// Stored and forwarded once.
Wire ethernet(double bits_per_s);

// Another wire of the same kind under the same software: what-if bandwidth=x`factor`, which takes the
// serialisation's part off and leaves the rest.
MachineModel with_wire(const MachineModel& model, const std::string& name, double factor);

}  // namespace ww::published

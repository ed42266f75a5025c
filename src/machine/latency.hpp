// What "latency" means, in a model's file, in `machine show`, in `latency=` of a what-if and in `simulate
// --explain`: one crossing of the network, that is what the smallest message's one-way time leaves beside the
// software of both sides and the time of its bytes on the wire. So `latency=T` with the latency that is shown
// changes nothing, and no what-if of the latency makes software or bytes quicker.
#pragma once
#include "machine/model.hpp"

namespace ww {

struct Latency {
  double s = 0;      // never negative: software may fill all that the wire leaves
  Interval ci_s;     // that of the smallest message, less what is no latency; holds s
  double bytes = 1;  // of the smallest message that the model knows
  // The others of its one-way time, by the fit: s + software_s + serialisation_s.
  double software_s = 0, serialisation_s = 0;
};
Latency latency_of(const Costs& costs, const Link& link);

// Of a message: F and U, where the wire is known of its first and last frame only (what_if.hpp), before the
// wire takes its share.
double software_s(const Costs& costs, const std::optional<Wire>& wire, double bytes);
// Frames are counted one by one up to here; beyond, the steps between frames are smoothed, which is wrong by
// half a frame's overhead at most: 45 of 12 000 bytes for Ethernet.
inline constexpr double exact_frames = 8;
// Wire::serialisation_s without the steps beyond the first frames.
double smooth_serialisation_s(const Wire& wire, double bytes, bool rendezvous);

}  // namespace ww

// What TCP as Linux sets it makes of two large messages that meet. A host hands over what a window has in one piece, and what acknowledges
// the other direction waits behind it: who begins while the other's data are under way sends what its window has, waits until the other's
// piece is through, some frames more, and so on until it has sent all or the other's data are through. Found by tcpdump of NPB's is under
// MPICH and mg under Open MPI at 10 Mb/s (docs/design/simulation.md, "Linux's own TCP and exchanges"). Of messages that are served whole:
// where there are more than two ranks, and large ones go in several pieces, no window is in the way.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "simulate/costs.hpp"
#include "simulate/networks/per_pair.hpp"

namespace ww::simulate {

class TcpWindows {
 public:
  TcpWindows(const WireFacts& wire, std::size_t ranks)
      : wire_(wire), windows_(wire.window_frames > 0 ? ranks : 0, {wire.window_frames}) {}

  // For how long a message whose port needs length_s stands still beside, that begins at now_s while the other direction has others_s to go.
  // From the first that needs more than its window this grows by a frame for each of its own size that it lets through, and at least with
  // the cube of the time (CUBIC, RFC 9438, 4.2 and 4.3, where nothing was lost).
  double stands_still_s(std::int32_t from, std::int32_t to, double length_s, double others_s, double now_s) {
    if (wire_.window_frames <= 0) return 0;
    const double frame_s = wire_.full_frame_s(), frames = length_s / frame_s;
    Window& of = windows_.at(from, to);
    if (frames <= of.frames) return 0;
    if (of.since_s < 0) of.since_s = now_s;
    const double grown_s = now_s - of.since_s;
    const double window = std::max(of.frames, wire_.window_frames + cubic * grown_s * grown_s * grown_s);
    of.frames = window + frames / window;
    if (frames <= window) return 0;
    const double window_s = window * frame_s;
    const double times = std::min(std::ceil(frames / window) - 1, std::floor(others_s / window_s));
    return std::min(std::max(0.0, others_s - window_s), times * ahead_frames * frame_s);
  }

 private:
  static constexpr double cubic = 0.4;  // frames by the cube of seconds (RFC 9438, 5)
  // By how much the other's piece is longer: nine pauses of mg's are 12 to 17 ms long at 10 Mb/s, 13 frames in the mean.
  static constexpr double ahead_frames = 13;

  struct Window {
    double frames = 0;
    double since_s = -1;  // when one needed more; negative: none did
  };
  WireFacts wire_;
  PerPair<Window> windows_;  // by sender and receiver
};

}  // namespace ww::simulate

// The windows of Linux's own TCP (base/tcp_window.hpp) between the ranks of a replay. Of messages that are served whole: where there are
// more than two ranks, and large ones go in several pieces, no window is in the way.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/tcp_window.hpp"
#include "simulate/costs.hpp"
#include "simulate/networks/per_pair.hpp"

namespace ww::simulate {

class TcpWindows {
 public:
  TcpWindows(const WireFacts& wire, std::size_t ranks)
      : wire_(wire), windows_(wire.window_frames > 0 ? ranks : 0, {}) {}

  // For how long a message whose port needs length_s stands still beside, that begins at now_s while the other direction has others_s to go.
  double stands_still_s(std::int32_t from, std::int32_t to, double length_s, double others_s, double now_s) {
    if (wire_.window_frames <= 0) return 0;
    return windows_.at(from, to).stands_still_s(wire_.window_frames, wire_.full_frame_s(), length_s, others_s,
                                                now_s);
  }

 private:
  WireFacts wire_;
  PerPair<TcpWindow> windows_;  // by sender and receiver
};

}  // namespace ww::simulate

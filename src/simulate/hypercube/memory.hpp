// How the channels of a node and its processor share the node's memory: the contention model.
//
// A channel moves its message by itself, and every access to memory that it makes may hold up the processor's
// next one. One channel alone takes a share of the processor's time, which is what of R and S grows with size
// (S1, Table 3: 0.04 and 0.01 us a byte beside 1.285 us of transmission). When k channels are active, whoever
// wants the memory finds it busy for the k d of the time that they need, and waits the longer the busier it
// is, as in any queue: in proportion to k d / (1 - k d), which for each of the k channels is crowd(k) = (1 -
// d) / (1 - k d) times of what it is for one alone. So
//   the processor    1 / speed - 1 = crowd(k) * sum over the active channels of share / (1 - share),
//   a sending channel    1 / speed - 1 = send_share * (crowd(k) - 1).
// A receiving channel has to keep up with its sender, which cannot be told to slow down (S1, 3.1). d = 1 /
// full_channels is the only parameter that the six terms do not give.
#pragma once
#include <algorithm>

namespace ww::simulate::hypercube {

struct Memory {
  double full_channels = 0;                  // active channels that would take all of it; 0: no contention
  double receive_share = 0, send_share = 0;  // of the processor's time, by a channel that is active alone

  bool contended() const { return full_channels > 0; }
  bool full(int active) const { return contended() && active >= full_channels; }

  // Relative to a node without active channels.
  double processor_speed(int receiving, int sending) const {
    const double taken = receiving * slower(receive_share) + sending * slower(send_share);
    return contended() ? 1 / (1 + taken * crowd(receiving + sending)) : 1;
  }
  // Relative to a channel that is active alone.
  double sending_speed(int active) const {
    return contended() && active > 1 ? 1 / (1 + send_share * (crowd(active) - 1)) : 1;
  }

 private:
  // Nothing ever stops: beyond full_channels the model has nothing to say, and whoever runs it counts the
  // time that is spent there.
  static constexpr double least_free = 0.01;
  static double slower(double share) { return share / (1 - share); }
  double crowd(int active) const {
    const double one = 1 / full_channels;
    return (1 - one) / std::max(1 - active * one, least_free);
  }
};

}  // namespace ww::simulate::hypercube

// When a host tells by a frame without data what it has had of small messages, as Linux's TCP does (tcp_cleanup_rbuf: ICSK_ACK_PUSHED2). Who
// reads the second segment that ends what its sender wrote, and has sent that one nothing since the first, acknowledges both at once, before
// anything that the program says to them; two full frames, or one and an end, are acknowledged when they come. In a ping-pong neither happens: the
// answer goes with what acknowledges. At 10 Mb/s such a frame keeps a port for 70 us, and what is sent next waits.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "simulate/networks/per_pair.hpp"

namespace ww::simulate {

class SmallAcknowledgements {
 public:
  explicit SmallAcknowledgements(std::size_t ranks) : told_(ranks, Untold{}), unread_(ranks) {}

  // What a frame or more of the message brought its receiver. full_frames: of those; end: of what was written, in a frame that is not full.
  struct Came {
    std::uint32_t message = 0;
    std::int32_t from = 0, to = 0;
    double full_frames = 0;
    bool end = false;
  };
  // True: the receiver has to tell it when it reads.
  bool came(const Came& what) {
    Untold& untold = told_.at(what.from, what.to);
    untold.message = what.message;
    untold.full_frames += what.full_frames;
    if (untold.full_frames >= 2 || (untold.full_frames >= 1 && what.end)) {
      untold = {.message = what.message};
      return false;
    }
    if (!what.end || ++untold.ends != told_at_ends) return false;
    unread_[static_cast<std::size_t>(what.to)].push_back(what.from);
    return true;
  }

  // Data go from one rank to another, and with them what it has had of that one.
  void sends(std::int32_t from, std::int32_t to) { told_.at(to, from) = {}; }

  // The rank reads what has come: tell(message) for each of which its receiver tells now.
  template <class Tell>
  void reads(std::int32_t rank, Tell tell) {
    std::vector<std::int32_t>& from = unread_[static_cast<std::size_t>(rank)];
    if (from.empty()) return;
    for (const std::int32_t sender : std::exchange(from, {})) {
      Untold& untold = told_.at(sender, rank);
      if (untold.ends < told_at_ends) continue;  // told since, with data
      const std::uint32_t message = untold.message;
      untold = {};
      tell(message);
    }
  }

 private:
  static constexpr int told_at_ends = 2;
  struct Untold {
    std::uint32_t message = 0;  // the last that came
    double full_frames = 0;
    int ends = 0;
  };
  PerPair<Untold> told_;                           // from sender to receiver
  std::vector<std::vector<std::int32_t>> unread_;  // by receiver: senders
};

}  // namespace ww::simulate

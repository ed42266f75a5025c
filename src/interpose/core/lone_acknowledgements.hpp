// Which small messages of a peer a rank's host acknowledges by a frame of their own: why and when says
// simulate/networks/small_acknowledgements.hpp, which does the same for all ranks of a replay.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// Of messages from one rank to another. Time: ticks, or seconds of virtual time. Zeros are none.
template <class Time>
struct Unacknowledged {
  Time told_until;
  uint32_t small;

  // What had come until then is acknowledged by what goes the other way, or came in full frames.
  void told(Time when) {
    small = 0;
    if (when > told_until) told_until = when;
  }
  // A small one that came then is read now. True: it is acknowledged at once.
  bool reads(Time came) {
    constexpr uint32_t told_at = 2;
    if (came < told_until) return false;
    small = (small + 1) % told_at;
    return small == 0;
  }
};

// Of what came to this rank, by the number of its sender; negative: nobody.
class LoneAcknowledgements {
 public:
  void told(int peer, uint64_t when) {
    if (peer >= 0) of(peer).told(when);
  }
  bool reads(int peer, uint64_t came) { return peer >= 0 && of(peer).reads(came); }

 private:
  static constexpr unsigned remembered = 256;
  struct Peer {
    int number;
    Unacknowledged<uint64_t> messages;
  };
  Unacknowledged<uint64_t>& of(int peer) {
    Peer& out = peers_[static_cast<unsigned>(peer) % remembered];
    if (out.number != peer) out = {peer, {}};
    return out.messages;
  }
  Peer peers_[remembered] = {};
};

}  // namespace ww::interpose

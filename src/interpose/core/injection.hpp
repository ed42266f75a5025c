// What must not become faster while computation is stretched is added back, so that the other network comes
// out of it (S3's algebra with each parameter on its own: Martin et al., ISCA 1997, for the knobs). Of a
// message of n bytes the machine's costs are send, flight and receive (costs.hpp), the target's send',
// flight' and receive'; in real time, which runs D times as fast as the program's, they must last
// D send', D flight' and D receive':
//
//   D send' - send        passes before the message is handed to the library, on top of its own time;
//   D flight' - flight    is a deadline: the message is not there before arrival + that, arrival being its
//                         departure and the machine's own time from there on, or when it was seen to come.
//                         A receiver that comes later than the deadline has nothing to wait for;
//   D receive' - receive  passes in the receiver's call after that.
//
// A host's port takes one message at a time: D port' after the one before.
#pragma once
#include <stdint.h>

#include "interpose/core/thread.hpp"

namespace ww::interpose {

extern bool injecting;

// The costs of both machines must have been read (read_costs).
void set_injection(double dilation, double ticks_per_s);

// How long a receive of n bytes lasts when the message is there already, measured at start by the library's
// caller; one entry a power of two from 1 byte. Slower than `slack` times this, and by `margin_s`, is
// waiting.
inline constexpr int ready_sizes = 24;
void set_ready_cost(int log2_bytes, double seconds);

// Before a message is handed to the library: its sender's software. Gives when it departs on the wire that is
// emulated: not before that had taken the one before.
uint64_t delay_departure(bool between_hosts, uint64_t bytes, uint64_t now);

// The order in which messages pass this rank in a collective.
enum class Stages : uint8_t {
  all_to_all_log,  // barrier, allreduce, allgather, scan: ceil(log2 P) stages
  from_root,       // bcast, scatter: the depth of this rank in a binomial tree
  to_root,         // reduce, gather: the height of this rank in that tree
  all_pairs        // alltoall, reduce_scatter: P - 1 stages, each with its share of the bytes
};

// What one call is held back by, after it came back: when this goes out of scope, before the program has it
// back. Whoever waits there makes progress with other messages.
class Injection {
 public:
  // `waits`: it is no test, which leaves what it did not find.
  Injection(const Frame& frame, bool waits);
  ~Injection();
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

  // Received. `departed` 0: nobody knows when. `posted_here`: the receive was begun by this call.
  void message(bool between_hosts, uint64_t bytes, uint64_t departed, bool posted_here);
  // Sent, and the call came back when the sender's part was over: for a large message, that of the wire.
  void sent(bool between_hosts, uint64_t bytes);
  // `departed`: when the root entered, of what goes from_root; 0: nobody knows, and it is taken for waited
  // for.
  void collective(Stages stages, bool between_hosts, int rank, int ranks, int root, uint64_t bytes,
                  uint64_t departed);

 private:
  struct Message {
    uint64_t arrived;  // departure and the machine's own time; 0: not known
    uint64_t bytes;
    bool between_hosts;
  };
  void settle();
  void chain(bool between_hosts, int messages, uint64_t bytes, uint64_t departed);
  uint64_t entered_ticks() const;  // without what delayed a departure of the same call

  static constexpr int most = 32;
  const Frame& frame_;
  const bool waits_;
  const uint64_t back_;
  uint64_t deadline_ = 0;
  double ready_s_ = 0;   // what the call lasts when nothing has to be waited for
  double always_s_ = 0;  // of collectives, and receivers' software
  Message messages_[most];
  int count_ = 0;
  bool remote_ = false;
};

}  // namespace ww::interpose

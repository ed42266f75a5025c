// What must not become faster while computation is stretched is added back, so that the other network comes
// out of it (S3's algebra with each parameter on its own: Martin et al., ISCA 1997, for the knobs). What of a
// message is added where, and until when a call must not return, says deadlines.hpp; here time passes.
#pragma once
#include <stdint.h>

#include "interpose/core/deadlines.hpp"
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
// back.
class Injection {
 public:
  // `waits`: it is no test, which leaves what it did not find.
  Injection(const Frame& frame, bool waits);
  ~Injection();
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

  // Received. `posted` of the message 0: this call began the receive, too.
  void message(SeenMessage message);
  // A send is complete that departed then (0: nobody knows).
  void sent(bool between_hosts, uint64_t bytes, uint64_t departed);
  // `departed`: when the root entered, of what goes from_root; 0: nobody knows, and it is taken for waited
  // for.
  void collective(Stages stages, bool between_hosts, int rank, int ranks, int root, uint64_t bytes,
                  uint64_t departed);

 private:
  void settle();
  uint64_t entered_ticks() const;  // without what delayed a departure of the same call
  SeenCall seen() const { return {entered_ticks(), back_, waits_, ready_s_}; }

  static constexpr int most = Deadlines::most;
  const Frame& frame_;
  const bool waits_;
  const uint64_t back_;
  uint64_t deadline_ = 0;
  uint64_t arrived_ = 0, received_ = 0;  // when the last message has come, and when all are unpacked
  double ready_s_ = 0;                   // what the call lasts when nothing has to be waited for
  double always_s_ = 0;                  // of collectives, after the deadline
  SeenMessage messages_[most];
  int count_ = 0;
};

}  // namespace ww::interpose

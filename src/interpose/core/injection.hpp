// What must not become faster while computation is stretched is added back: after a receive that waited, the
// caller of this library has said how many real seconds a message of n bytes is to take longer. See Injection
// for the rule.
#pragma once
#include <stdint.h>

#include "interpose/core/thread.hpp"

namespace ww::interpose {

extern bool injecting;

// The pieces of WW_INJECT_INTER and WW_INJECT_INTRA ("FROM:BASE:PER_BYTE,..." or nullptr).
void set_injection(const char* inject_inter, const char* inject_intra, double ticks_per_s);

// How long a receive of n bytes lasts when the message is there already, measured at start by the library's
// caller; one entry a power of two from 1 byte. Slower than `slack` times this, and by `margin_s`, is
// waiting.
inline constexpr int ready_sizes = 24;
void set_ready_cost(int log2_bytes, double seconds);

// The order in which messages pass this rank in a collective.
enum class Stages : uint8_t {
  all_to_all_log,  // barrier, allreduce, allgather, scan: ceil(log2 P) stages
  from_root,       // bcast, scatter: the depth of this rank in a binomial tree
  to_root,         // reduce, gather: the height of this rank in that tree
  all_pairs        // alltoall, reduce_scatter: P - 1 stages, each with its share of the bytes
};

// What one call adds: of the messages that it received, the largest BASE once (they were on their way
// together) and PER_BYTE of all bytes (one port takes one message at a time). Added when it goes out of
// scope, before the call returns, and only if the call waited: it lasted more than twice as long as receiving
// the same messages when they are already there, plus 20 us between hosts (reading from a socket) or 2 us
// within a host. A message that was there before the call is taken to have come early enough even on the
// emulated wire. A collective adds its stages' cost without that condition.
class Injection {
 public:
  explicit Injection(const Frame& frame) : frame_(frame) {}
  ~Injection();
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;
  void message(bool between_hosts, uint64_t bytes);
  void collective(Stages stages, bool between_hosts, int rank, int ranks, int root, uint64_t bytes);

 private:
  const Frame& frame_;
  double base_s_ = 0, bytes_s_ = 0;  // to add if the call waited
  double always_s_ = 0;
  double ready_s_ = 0;  // what the call lasts when nothing has to be waited for
  bool between_hosts_ = false;
  bool any_ = false;  // base_s_ is of a message
};

}  // namespace ww::interpose

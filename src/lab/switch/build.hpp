// Makes the lab's namespaces and networks. Everything hangs on the descriptors that the switch holds: network
// namespaces without names, TAPs and bridges inside them. When the switch ends, however it ends, the kernel
// takes all of it away, so that nothing can be left behind.
#pragma once
#include <vector>

#include "lab/plan.hpp"
#include "lab/switch/pump.hpp"

namespace ww::lab {

struct Built {
  int hub = -1;            // network namespace of the bridges
  std::vector<int> hosts;  // network namespaces
  std::vector<int> taps;   // of WireKind::switched, non-blocking
  std::vector<Mac> macs;
  bool own_user_namespace = false;
};

// Errors: no right to make namespaces or TAPs (with the remedy); a failing ip or tc, with what it said.
Result<Built> build(const Plan& plan);

// The queue of every host's card: what waits there is still the sending socket's, so that TCP small queues
// hold. On a tbf wire it is the wire itself.
Result<void> set_queues(const Plan& plan, const Built& built, double rate_bytes_per_s);

}  // namespace ww::lab

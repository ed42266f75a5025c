// How long calls waited (S5: from the time a receive was issued to the time it completed), by call; and whom
// the ranks waited for.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analyze/breakdown.hpp"
#include "analyze/spread.hpp"

namespace ww {

struct CallWaiting {
  std::uint64_t calls = 0, waited = 0;      // that could wait; that were blocked
  Spread time_s, blocked_s;                 // of all of them, from entry to return, wherever the span ends
  double algorithmic_s = 0, service_s = 0;  // within the span
  Histogram blocked_ns;
};

struct WaitedFor {
  std::int32_t rank = 0, waited_for = 0;  // the rank that came last of those it needed
  std::uint64_t calls = 0;
  double algorithmic_s = 0;
};

struct Waiting {
  std::map<std::string, CallWaiting> calls;
  std::vector<WaitedFor> pairs;  // by rank, then by whom it waited for
};

// `waits`: of the whole trace.
Waiting find_waiting(const Part& part, const Breakdown& breakdown, const Waits& waits);

}  // namespace ww

// One-sided communication by window and target: what was moved, and the time in the calls that synchronise
// it.
#pragma once
#include <map>

#include "analyze/breakdown.hpp"

namespace ww {

struct OneSidedTotal {
  std::uint64_t puts = 0, gets = 0, atomics = 0;
  std::uint64_t bytes_out = 0, bytes_in = 0;  // to the targets, back from them
  double issue_s = 0;                         // inside the calls that issue the transfers
  std::uint64_t syncs = 0;                    // calls that synchronise; created and freed are among them
  double sync_s = 0;                          // inside these
  std::uint64_t transfers() const { return puts + gets + atomics; }
};

struct WindowTotal : OneSidedTotal {
  std::uint32_t window = 0;
  double waited_s = 0;  // of sync_s: fences, and making and freeing the window, until the last member entered
  // By world rank: transfers to it, and syncs that name it alone (locks, flushes).
  std::map<std::int32_t, OneSidedTotal> targets;
};

// Windows in the order of the trace, unused ones too.
std::vector<WindowTotal> find_one_sided(const Part& part, const Breakdown& breakdown);

}  // namespace ww

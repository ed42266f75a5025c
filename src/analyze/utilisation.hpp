// For how much of its time each rank had something to do. Idle is "the time spent waiting in a receive while
// no corresponding send had occurred" (S5, 3.6.1): from the entry of a call that waits for messages until the
// first of them was begun to be sent. In a collective: until the last rank that it needs has entered. All
// else is not idle; so a rank that asks again and again (tests, probes) is not, and that part is shown beside
// it. None of this is what a processor did: a rank that waits polls, and is busy. That is what the kernel
// counted.
#pragma once
#include <optional>
#include <vector>

#include "analyze/selection.hpp"
#include "analyze/waits.hpp"

namespace ww {

struct RankUtilisation {
  std::int32_t rank = 0;
  double elapsed_s = 0, idle_s = 0, polling_s = 0;
  double utilisation = 0;  // (elapsed - idle) / elapsed
};

struct Utilisation {
  double utilisation = 0;  // of all ranks together
  std::vector<RankUtilisation> ranks;
  // Of all ranks' time, what their processes had a processor for (threads of theirs included), and what they
  // were ready to run and had none; nothing where the recorder does not know it.
  std::optional<double> processor, without_core;
  double bin_s = 0;
  std::vector<double> over_time;  // of all ranks that run then, in equal bins from the begin to the end
};

// `waits`: of the whole trace. What the kernel counted is known of the whole run only.
Utilisation find_utilisation(const Part& part, const Waits& waits);

}  // namespace ww

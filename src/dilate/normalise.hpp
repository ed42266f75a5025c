// The times of a dilated run divided by D: by the one in force at each instant, which the program may have set
// (trace/dilated_spans.hpp).
#pragma once
#include <functional>
#include <vector>

#include "dilate/components.hpp"

namespace ww {

struct TimeAtFactor {
  double factor = 1;     // D
  double elapsed_s = 0;  // real, mean of the ranks
};

struct NormalisedRun {
  double elapsed_s = 0;  // from the earliest begin of a rank to the latest end
  std::vector<RankComponents> ranks;
  std::vector<TimeAtFactor> set_by_program;  // by rising D; empty: it set none
  // So far the ranks' divided times came apart, at most, as they did not set D at the same instants.
  double apart_s = 0;
};

// Where time went, as it is split at that D (with_kept_software).
using BreakdownAt = std::function<Breakdown(double factor)>;

// A call counts where it is entered.
NormalisedRun normalise(const Trace& trace, const BreakdownAt& breakdown_at);

}  // namespace ww

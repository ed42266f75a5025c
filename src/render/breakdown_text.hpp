// The breakdown as text for a terminal of 100 columns.
#pragma once
#include <string>

#include "analyze/breakdown.hpp"
#include "analyze/user_regions.hpp"

namespace ww {

enum class By {
  overview,
  rank,
  call,
  peer,
  type,
  region
};  // overview: ranks, calls and what regions there are

// One line each; what there is to say if there are none, too.
std::string show(const std::vector<Cause>& causes);
std::string show(const RegionTotals& totals);
std::string show_sent(const Breakdown& breakdown);  // by pair of ranks, and what is counted
std::string show_tables(const Breakdown& breakdown, const Part& part, By by);
// Around answers: what the trace is above them, the diagnostics below.
// `note`: of the selection, in lines of their own.
std::string show(const Breakdown& breakdown, const Part& part, const std::string& answer,
                 const std::string& note = "");

}  // namespace ww

// The tables of `simulate --scenarios`, in the form of S4's Figure 6.10 and Appendix A.
#pragma once
#include <string>
#include <vector>

#include "analyze/breakdown.hpp"
#include "simulate/scenarios.hpp"

namespace ww {

// One line a scenario and the recorded run above them, then one table of stations a scenario.
std::string scenario_tables(const Trace& trace, const Breakdown& recorded,
                            const std::vector<Scenario>& scenarios,
                            const std::vector<Prediction>& predictions);
// One line a scenario and station, and one of their mean each.
std::string scenario_csv(const Trace& trace, const std::vector<Scenario>& scenarios,
                         const std::vector<Prediction>& predictions);

}  // namespace ww

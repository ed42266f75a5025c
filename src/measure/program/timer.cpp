#include "measure/program/timer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "measure/program/session.hpp"
#include "stats/stats.hpp"

namespace ww::measure {

nlohmann::json timer_facts() {
  constexpr int calls = 20000;
  std::vector<double> times;
  times.reserve(calls);
  for (int i = 0; i < calls; ++i) times.push_back(now_s());
  std::vector<double> steps;
  int backward = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double step_s = times[i] - times[i - 1];
    if (step_s < 0) ++backward;
    if (step_s > 0) steps.push_back(step_s);
  }
  const double call_s = (times.back() - times.front()) / (calls - 1);
  return {{"call_s", steps.empty() ? call_s : std::min(call_s, stats::median(steps))},
          {"resolution_s", steps.empty() ? 0.0 : *std::min_element(steps.begin(), steps.end())},
          {"backward_steps", backward}};
}

}  // namespace ww::measure

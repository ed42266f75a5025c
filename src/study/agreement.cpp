#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/stats.hpp"
#include "study/study.hpp"

namespace ww {

Estimate from_runs(const std::vector<double>& runs_s) {
  WW_INVARIANT(!runs_s.empty());
  const auto [least, most] = std::minmax_element(runs_s.begin(), runs_s.end());
  return {stats::median(runs_s), *least, *most};
}

Estimate from_predictions(const std::vector<double>& predicted_s, const Prediction& middle) {
  const Estimate runs = from_runs(predicted_s);
  const double below_s = std::hypot(middle.predicted_s - middle.predicted_low_s, runs.value_s - runs.low_s);
  const double above_s = std::hypot(middle.predicted_high_s - middle.predicted_s, runs.high_s - runs.value_s);
  return {runs.value_s, std::max(0.0, runs.value_s - below_s), runs.value_s + above_s};
}

void judge_agreement(WhatIfAnswer& answer, double tolerance) {
  struct Named {
    const char* name;
    Estimate estimate;
  };
  std::vector<Named> present{{"simulation", answer.simulated}};
  if (answer.dilated) present.push_back({"dilation", *answer.dilated});
  if (answer.real) present.push_back({"reality", *answer.real});
  answer.disagreement.clear();
  double worst = 0;
  for (std::size_t i = 0; i < present.size(); ++i)
    for (std::size_t j = i + 1; j < present.size(); ++j) {
      const Estimate& a = present[i].estimate;
      const Estimate& b = present[j].estimate;
      const double apart = std::fabs(a.value_s - b.value_s) / std::min(a.value_s, b.value_s);
      const bool overlap = a.low_s <= b.high_s && b.low_s <= a.high_s;
      if (overlap || apart <= tolerance || apart <= worst) continue;
      worst = apart;
      answer.disagreement = fmt::format("{} says {:.3g} s, {} {:.3g} s: {:.0f}% apart", present[i].name,
                                        a.value_s, present[j].name, b.value_s, 100 * apart);
    }
  answer.agree = present.size() > 1 && answer.disagreement.empty();
}

}  // namespace ww

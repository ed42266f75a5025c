#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "stats/stats.hpp"
#include "study/study.hpp"

namespace ww {

Estimate from_runs(const std::vector<double>& runs_s) {
  WW_INVARIANT(!runs_s.empty());
  const auto [least, most] = std::minmax_element(runs_s.begin(), runs_s.end());
  return {stats::median(runs_s), *least, *most};
}

Estimate from_predictions(const std::vector<double>& predicted_s, const Prediction& middle,
                          const std::vector<std::vector<double>>& other_runs) {
  const double value_s = stats::median(predicted_s),
               runs_s = stats::half_interval_of_other_median(predicted_s, other_runs);
  return {value_s, std::max(0.0, value_s - std::hypot(middle.predicted_s - middle.predicted_low_s, runs_s)),
          value_s + std::hypot(middle.predicted_high_s - middle.predicted_s, runs_s)};
}

std::vector<SourceOfDoubt> doubts_of_predictions(const std::vector<double>& predicted_s,
                                                 const Prediction& middle,
                                                 const std::vector<std::vector<double>>& other_runs) {
  const double runs_s = stats::half_interval_of_other_median(predicted_s, other_runs);
  std::vector<SourceOfDoubt> doubts = middle.doubts;
  doubts.push_back({"what runs of the program differ by", runs_s, runs_s});
  return by_width(std::move(doubts));
}

namespace {

// A part of the time, and what each way of knowing assumes of it; reality assumes nothing.
struct TimePart {
  const char* name;
  double (*of)(const Components&);
  std::map<std::string, const char*> assumed;
};

const std::vector<TimePart>& parts() {
  static const std::vector<TimePart> all{
      {"computation",
       [](const Components& c) { return c.user_s; },
       {{"simulation", "it takes what it took when it was recorded"},
        {"dilation", "it takes what it took in runs of its own, where cores spin beside it and caches cool"},
        {"virtual clock", "it takes the processor's time that it had, whatever shared the core"}}},
      {"the software of messages",
       [](const Components& c) { return c.software_s(); },
       {{"simulation", "a call takes what the machine model says"},
        {"dilation", "a call takes what it takes, and D - 1 times the machine model's cost is added"},
        {"virtual clock", "a call takes what the machine model says"}}},
      {"waiting",
       [](const Components& c) { return c.receive_wait_s; },
       {{"simulation", "messages meet each other at the ports as the machine model has it"},
        {"dilation", "messages meet each other on the real wire, and each is held back by itself"},
        {"virtual clock",
         "messages meet each other at the hosts' ports, where who came first in real time keeps its turn"}}}};
  return all;
}

// Where the two are most apart; empty where that is not known of both.
std::string separated_by(const WhatIfAnswer& answer, const std::string& one, const std::string& other) {
  const auto a = answer.components.find(one), b = answer.components.find(other);
  if (a == answer.components.end() || b == answer.components.end()) return {};
  const auto& all = parts();
  const TimePart& part = *std::max_element(all.begin(), all.end(), [&](const TimePart& x, const TimePart& y) {
    return std::fabs(x.of(a->second) - x.of(b->second)) < std::fabs(y.of(a->second) - y.of(b->second));
  });
  std::string text = fmt::format(", most in {}: {:.3g} s of a rank's time against {:.3g}", part.name,
                                 part.of(a->second), part.of(b->second));
  for (const std::string& name : {one, other})
    if (const auto assumed = part.assumed.find(name); assumed != part.assumed.end())
      text += fmt::format("; {} assumes that {}", name, assumed->second);
  return text;
}

}  // namespace

void judge_agreement(WhatIfAnswer& answer, double tolerance) {
  struct Named {
    const char* name;
    Estimate estimate;
  };
  std::vector<Named> present{{"simulation", answer.simulated}};
  if (answer.dilated) present.push_back({"dilation", *answer.dilated});
  if (answer.virtual_time) present.push_back({"virtual clock", *answer.virtual_time});
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
                                        a.value_s, present[j].name, b.value_s, 100 * apart) +
                            separated_by(answer, present[i].name, present[j].name);
    }
  answer.agree = present.size() > 1 && answer.disagreement.empty();
}

}  // namespace ww

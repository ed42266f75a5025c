#include "dilate/curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "stats/stats.hpp"

namespace ww {
namespace {

constexpr std::size_t enough_for_order = 6;  // rounds, for 95% (stats::median_interval)
constexpr double worth_having = 0.05;        // of a step of the curve

}  // namespace

const char* to_string(IntervalOf interval) {
  switch (interval) {
    case IntervalOf::order:
      return "order statistics";
    case IntervalOf::student:
      return "student";
    case IntervalOf::one_round:
      break;
  }
  return "none";
}

SpeedUp speedup_of(double factor, const std::vector<double>& quotients) {
  SpeedUp out;
  out.factor = factor;
  out.rounds = static_cast<int>(quotients.size());
  out.value = out.low = out.high = stats::median(quotients);
  if (quotients.size() >= enough_for_order) {
    const stats::MedianInterval interval = stats::median_interval(quotients);
    out.low = interval.range.low;
    out.high = interval.range.high;
    out.interval = IntervalOf::order;
  } else if (quotients.size() > 1) {
    std::vector<double> logarithms;
    double mean = 0;
    for (const double quotient : quotients) {
      logarithms.push_back(std::log(quotient));
      mean += logarithms.back() / static_cast<double>(quotients.size());
    }
    const double half = stats::half_interval_of_mean(logarithms);
    out.low = std::min(out.value, std::exp(mean - half));
    out.high = std::max(out.value, std::exp(mean + half));
    out.interval = IntervalOf::student;
  }
  return out;
}

std::vector<SpeedUp> speedup_curve(const std::vector<RoundTime>& times) {
  std::map<int, double> undilated;
  for (const RoundTime& time : times)
    if (time.factor == 1) undilated[time.round] = time.normalised_s;
  std::map<double, std::vector<double>> quotients;
  for (const RoundTime& time : times)
    if (const auto base = undilated.find(time.round); base != undilated.end() && time.normalised_s > 0)
      quotients[time.factor].push_back(base->second / time.normalised_s);
  std::vector<SpeedUp> curve;
  for (const auto& [factor, of] : quotients) curve.push_back(speedup_of(factor, of));
  return curve;
}

nlohmann::json to_json(const std::vector<SpeedUp>& curve) {
  nlohmann::json json = nlohmann::json::array();
  for (const SpeedUp& s : curve)
    json.push_back({{"D", s.factor},
                    {"value", s.value},
                    {"low", s.low},
                    {"high", s.high},
                    {"rounds", s.rounds},
                    {"interval", to_string(s.interval)}});
  return json;
}

std::optional<Flattening> flattening(const std::vector<SpeedUp>& curve,
                                     const std::vector<Remaining>& remaining) {
  const auto gains = [&](std::size_t i) {  // from point i to the next
    const SpeedUp &here = curve[i], &next = curve[i + 1];
    const bool told_apart = next.interval == IntervalOf::one_round || next.low > here.value;
    return told_apart && next.value > here.value * (1 + worth_having);
  };
  if (curve.size() < 2) return std::nullopt;
  std::size_t at = curve.size() - 1;
  while (at > 0 && !gains(at - 1)) --at;
  if (at + 1 == curve.size()) return std::nullopt;
  const double factor = curve[at].factor;
  const auto there = std::find_if(remaining.begin(), remaining.end(),
                                  [&](const Remaining& r) { return r.factor == factor; });
  if (there == remaining.end()) return std::nullopt;
  return Flattening{factor, there->components};
}

}  // namespace ww

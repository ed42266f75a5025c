#include <fmt/format.h>

#include <algorithm>

#include "measure/fit.hpp"
#include "measure/fit_lines.hpp"

namespace ww::measure {
namespace {

Curve fit_term(const SamplesBySize& term) {
  std::vector<SizePoint> points;
  std::vector<double> medians, weights;
  for (const auto& [bytes, seconds] : term) {
    SizePoint point;
    point.bytes = bytes;
    point.seconds = seconds;
    point.median_s = stats::median(seconds);
    if (!(point.median_s > 0)) continue;
    medians.push_back(point.median_s);
    weights.push_back(1 / (point.median_s * point.median_s));
    points.push_back(std::move(point));
  }
  if (points.size() < 2) return {};
  // of the most lines that give no time below nothing at an end
  for (std::size_t lines = 3; lines > 0; --lines) {
    Curve curve = fit_curve_with_intervals(points, medians, weights, {.most_segments = lines, .noise = 0.05});
    if (never_negative(curve)) return curve;
  }
  const double least = *std::min_element(medians.begin(), medians.end()),
               most = *std::max_element(medians.begin(), medians.end()), middle = stats::median(medians);
  return {{{points.front().bytes, points.back().bytes, middle, 0, {least, most}, {0, 0}}}};
}

}  // namespace

SamplesBySize cost_samples(const Samples& samples, const std::string& between, const std::string& term) {
  SamplesBySize out;
  for (const auto* record : samples.of_kind("cost", between)) {
    if ((*record)["term"] != term) continue;
    const auto seconds = (*record)["seconds"].get<std::vector<double>>();
    auto& all = out[(*record)["bytes"].get<double>()];
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  if (term == "A+U")
    for (auto& [bytes, seconds] : out) {
      std::sort(seconds.begin(), seconds.end());
      seconds.resize((seconds.size() + 1) / 2);
    }
  return out;
}

Curve fit_reduction(const Samples& samples, const std::string& between) {
  SamplesBySize term;
  for (const auto* record : samples.of_kind("reduction", between)) {
    const auto seconds = (*record)["seconds"].get<std::vector<double>>();
    auto& all = term[(*record)["bytes"].get<double>()];
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  return fit_term(term);
}

Costs fit_costs(const Samples& samples, const std::string& between, std::vector<std::string>& flags) {
  Costs costs;
  costs.F = fit_term(cost_samples(samples, between, "F"));
  costs.A = fit_term(cost_samples(samples, between, "A"));
  // what the call of a receive takes after the part that can run before its message is there
  SamplesBySize unformat = cost_samples(samples, between, "A+U");
  for (auto& [bytes, seconds] : unformat)
    for (double& one : seconds) one = std::max(0.0, one - costs.A.at(bytes));
  costs.U = fit_term(unformat);
  std::string missing;
  for (const auto& [name, curve] :
       {std::pair{"F", &costs.F}, std::pair{"A", &costs.A}, std::pair{"U", &costs.U}})
    if (curve->empty()) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  if (!missing.empty()) flags.push_back(fmt::format("costs {} were not measured", missing));
  if (costs.A.empty() && !costs.U.empty())
    flags.push_back("costs.U holds A + U together: the call of a receive whose message is already there");
  for (const auto& [name, curve] :
       {std::pair{"F", &costs.F}, std::pair{"A", &costs.A}, std::pair{"U", &costs.U}})
    for (const Segment& segment : curve->segments)
      if (segment.seconds_per_byte_ci.high < 0)
        flags.push_back(fmt::format("costs.{}: a fitted line falls with size, which cannot be", name));
  return costs;
}

}  // namespace ww::measure

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "measure/fit.hpp"
#include "measure/fit_lines.hpp"

namespace ww::measure {
namespace {

using Term = std::map<double, std::vector<double>>;  // seconds by size, of all launches

Term samples_of(const Samples& samples, const std::string& between, const std::string& name) {
  Term term;
  for (const auto* record : samples.of_kind("cost", between)) {
    if ((*record)["term"] != name) continue;
    const auto seconds = (*record)["seconds"].get<std::vector<double>>();
    auto& all = term[(*record)["bytes"].get<double>()];
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  // The upper half of the receives may hold some whose message had not arrived yet.
  if (name == "A+U")
    for (auto& [bytes, seconds] : term) {
      std::sort(seconds.begin(), seconds.end());
      seconds.resize((seconds.size() + 1) / 2);
    }
  return term;
}

Curve fit_term(const Term& term) {
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

Costs fit_costs(const Samples& samples, const std::string& between, std::vector<std::string>& flags) {
  Costs costs;
  costs.F = fit_term(samples_of(samples, between, "F"));
  costs.A = fit_term(samples_of(samples, between, "A"));
  // what the call of a receive takes after the part that can run before its message is there
  Term unformat = samples_of(samples, between, "A+U");
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

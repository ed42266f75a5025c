#include <fmt/format.h>

#include <algorithm>

#include "measure/fit.hpp"
#include "measure/fit_lines.hpp"

namespace ww::measure {
namespace {

Curve fit_term(const Samples& samples, const std::string& between, const std::string& term) {
  std::vector<SizePoint> points;
  for (const auto* record : samples.of_kind("cost", between)) {
    if ((*record)["term"] != term) continue;
    SizePoint point;
    point.bytes = (*record)["bytes"].get<double>();
    point.seconds = (*record)["seconds"].get<std::vector<double>>();
    std::sort(point.seconds.begin(), point.seconds.end());
    // The upper half of the receives may hold some whose message had not arrived yet.
    if (term == "A+U") point.seconds.resize((point.seconds.size() + 1) / 2);
    point.median_s = stats::median(point.seconds);
    if (point.median_s > 0) points.push_back(std::move(point));
  }
  std::sort(points.begin(), points.end(),
            [](const SizePoint& a, const SizePoint& b) { return a.bytes < b.bytes; });
  // a size may have been measured twice
  points.erase(std::unique(points.begin(), points.end(),
                           [](const SizePoint& a, const SizePoint& b) { return a.bytes == b.bytes; }),
               points.end());
  if (points.size() < 2) return {};
  std::vector<double> medians, weights;
  for (const SizePoint& point : points) {
    medians.push_back(point.median_s);
    weights.push_back(1 / (point.median_s * point.median_s));
  }
  return fit_curve(points, medians, weights, {.most_segments = 3, .noise = 0.05});
}

}  // namespace

Costs fit_costs(const Samples& samples, const std::string& between, std::vector<std::string>& flags) {
  Costs costs;
  costs.F = fit_term(samples, between, "F");
  costs.U = fit_term(samples, between, "A+U");
  std::string missing = "S, R, A, E";
  if (costs.U.empty()) missing = "U, " + missing;
  if (costs.F.empty()) missing = "F, " + missing;
  flags.push_back(fmt::format("costs {} were not measured", missing));
  if (!costs.U.empty())
    flags.push_back("costs.U holds A + U together: the call of a receive whose message is already there");
  for (const auto& [name, curve] : {std::pair{"F", &costs.F}, std::pair{"U", &costs.U}})
    for (const Segment& segment : curve->segments)
      if (segment.base_s + segment.seconds_per_byte * segment.from_bytes < 0 || segment.seconds_per_byte < 0)
        flags.push_back(fmt::format("costs.{}: a fitted line falls with size, which cannot be", name));
  return costs;
}

}  // namespace ww::measure

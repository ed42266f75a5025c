#include "measure/fit_lines.hpp"

#include <algorithm>

namespace ww::measure {
namespace {
constexpr int rounds = 200;
constexpr std::size_t most_resampled = 60;  // of a size: enough for the spread of its median
}  // namespace

Curve fit_curve(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                const std::vector<double>& weights, const stats::SegmentOptions& options) {
  std::vector<stats::Point> fitted;
  for (std::size_t i = 0; i < points.size(); ++i)
    fitted.push_back({points[i].bytes, values_s[i], weights[i]});
  const auto segments = stats::fit_segments(fitted, options);

  std::vector<std::vector<double>> bases(segments.size()), slopes(segments.size());
  stats::Resampler random(20260702);
  for (int round = 0; round < rounds; ++round) {
    std::vector<stats::Point> replicate = fitted;
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<double> some = points[i].seconds;
      const double shrink =
          some.size() > most_resampled ? static_cast<double>(some.size()) / most_resampled : 1;
      if (some.size() > most_resampled) some.resize(most_resampled);
      const double middle = stats::median(some);
      const double noise = (stats::median(random.resample(some)) - middle) / std::sqrt(shrink);
      const double line = stats::value_at(segments, points[i].bytes);
      replicate[i].y = line + random.sign() * (values_s[i] - line) + noise;
    }
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const auto line = stats::fit_line(std::span(replicate).subspan(segments[s].first, segments[s].count));
      bases[s].push_back(line.base);
      slopes[s].push_back(line.slope);
    }
  }
  Curve curve;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const stats::Range base = stats::percentile_range(bases[s]), slope = stats::percentile_range(slopes[s]);
    const stats::Line& line = segments[s].line;
    // a percentile range need not hold the estimate itself
    curve.segments.push_back({segments[s].from,
                              segments[s].to,
                              line.base,
                              line.slope,
                              {std::min(base.low, line.base), std::max(base.high, line.base)},
                              {std::min(slope.low, line.slope), std::max(slope.high, line.slope)}});
  }
  return curve;
}

}  // namespace ww::measure

#include "measure/fit_lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ww::measure {
namespace {

constexpr int rounds = 200;
constexpr std::size_t most_resampled = 60;  // of a size: enough for the spread of its median

std::vector<stats::Point> weighted(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                                   const std::vector<double>& weights) {
  std::vector<stats::Point> out;
  for (std::size_t i = 0; i < points.size(); ++i) out.push_back({points[i].bytes, values_s[i], weights[i]});
  return out;
}

Curve curve_of(const std::vector<stats::FittedSegment>& segments) {
  Curve curve;
  for (const auto& segment : segments) {
    const stats::FittedLine& line = segment.line;
    curve.segments.push_back(
        {segment.from, segment.to, line.base, line.slope, {line.base, line.base}, {line.slope, line.slope}});
  }
  return curve;
}

// Of each point what the launches added to it; of one that too few launches measured, what they added to the
// nearest size (by ratio) that enough did.
std::vector<std::vector<double>> effects_of(const std::vector<SizePoint>& points) {
  std::vector<std::vector<double>> own, out;
  for (const SizePoint& point : points) own.push_back(launch_effects_s(point));
  for (const SizePoint& point : points) {
    std::size_t nearest = points.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double ratio = std::fabs(std::log(points[k].bytes + 1) - std::log(point.bytes + 1));
      if (own[k].empty() || ratio >= least) continue;
      least = ratio;
      nearest = k;
    }
    out.push_back(nearest < points.size() ? own[nearest] : std::vector<double>{});
  }
  return out;
}

// The median of resampled samples beside that of the samples.
double sample_noise_s(const SizePoint& point, stats::Resampler& random) {
  std::vector<double> some = point.seconds;
  const double shrink = some.size() > most_resampled ? static_cast<double>(some.size()) / most_resampled : 1;
  if (some.size() > most_resampled) some.resize(most_resampled);
  const double middle = stats::median(some);
  return (stats::median(random.resample(some)) - middle) / std::sqrt(shrink);
}

}  // namespace

Curve fit_curve(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                const std::vector<double>& weights, const stats::SegmentOptions& options) {
  return curve_of(stats::fit_segments(weighted(points, values_s, weights), options));
}

Curve fit_curve_with_intervals(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                               const std::vector<double>& weights, const stats::SegmentOptions& options) {
  const auto fitted = weighted(points, values_s, weights);
  const auto segments = stats::fit_segments(fitted, options);
  const auto effects = effects_of(points);
  std::size_t launches = 0;
  for (const auto& of_point : effects) launches = std::max(launches, of_point.size());
  // The mean of n values drawn from n has a variance (n - 1) / n too small, and its quantiles are the normal
  // ones.
  const double widen = launches < fewest_launches
                           ? 0
                           : stats::student_975(launches - 1) / 1.96 *
                                 std::sqrt(static_cast<double>(launches) / static_cast<double>(launches - 1));

  std::vector<std::vector<double>> bases(segments.size()), slopes(segments.size());
  stats::Resampler random(20260702);
  std::vector<double> numbers(launches);
  for (std::size_t k = 0; k < launches; ++k) numbers[k] = static_cast<double>(k);
  for (int round = 0; round < rounds; ++round) {
    std::vector<stats::Point> replicate = fitted;
    const auto drawn = random.resample(numbers);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double launch_s = 0;
      if (effects[i].size() == launches)
        for (const double k : drawn) launch_s += effects[i][static_cast<std::size_t>(k)];
      const double line = stats::value_at(segments, points[i].bytes);
      replicate[i].y = line + random.sign() * (values_s[i] - line) + sample_noise_s(points[i], random) +
                       (launches > 0 ? widen * launch_s / static_cast<double>(launches) : 0);
    }
    const auto again = stats::fit_segments(replicate, options);
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const double low = points[segments[s].first].bytes,
                   high = points[segments[s].first + segments[s].count - 1].bytes;
      const double at_low = stats::value_at(again, low), at_high = stats::value_at(again, high);
      const double slope = high > low ? (at_high - at_low) / (high - low) : segments[s].line.slope;
      slopes[s].push_back(slope);
      bases[s].push_back(at_low - slope * low);
    }
  }
  Curve curve = curve_of(segments);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const stats::Range base = stats::percentile_range(bases[s]), slope = stats::percentile_range(slopes[s]);
    const stats::FittedLine& line = segments[s].line;
    // a percentile range need not hold the estimate itself
    curve.segments[s].base_ci_s = {std::min(base.low, line.base), std::max(base.high, line.base)};
    curve.segments[s].seconds_per_byte_ci = {std::min(slope.low, line.slope),
                                             std::max(slope.high, line.slope)};
  }
  return curve;
}

bool never_negative(const Curve& curve) {
  return std::all_of(curve.segments.begin(), curve.segments.end(), [](const Segment& one) {
    return one.base_s + one.seconds_per_byte * one.from_bytes >= 0 &&
           one.base_s + one.seconds_per_byte * one.to_bytes >= 0;
  });
}

}  // namespace ww::measure

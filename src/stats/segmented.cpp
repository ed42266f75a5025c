#include "stats/segmented.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ww::stats {
namespace {

double residual(std::span<const Point> points, const FittedLine& line) {
  double sum = 0;
  for (const Point& p : points) sum += p.weight * (p.y - line.at(p.x)) * (p.y - line.at(p.x));
  return sum;
}

// The expected break that lies between two neighbouring points, or nothing.
const double* expected_between(const SegmentOptions& options, double low, double high) {
  for (const double& at : options.expected_breaks)
    if (low <= at && at < high) return &at;
  return nullptr;
}

double break_between(const SegmentOptions& options, const FittedLine& left, const FittedLine& right,
                     double low, double high) {
  if (const double* expected = expected_between(options, low, high)) return *expected;
  const double crossing = (right.base - left.base) / (left.slope - right.slope);
  return std::isfinite(crossing) && crossing >= low && crossing < high ? crossing : low;
}

struct Best {
  double rss = std::numeric_limits<double>::infinity();
  double parameters = 0;
  std::size_t before = 0;  // where the last segment begins
};

}  // namespace

FittedLine fit_line(std::span<const Point> points) {
  double weights = 0, mean_x = 0, mean_y = 0;
  for (const Point& p : points) {
    weights += p.weight;
    mean_x += p.weight * p.x;
    mean_y += p.weight * p.y;
  }
  if (weights <= 0) return {};
  mean_x /= weights;
  mean_y /= weights;
  double xx = 0, xy = 0;
  for (const Point& p : points) {
    xx += p.weight * (p.x - mean_x) * (p.x - mean_x);
    xy += p.weight * (p.x - mean_x) * (p.y - mean_y);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  return {mean_y - slope * mean_x, slope};
}

std::vector<FittedSegment> fit_segments(std::vector<Point> points, const SegmentOptions& options) {
  std::vector<FittedSegment> out;
  if (points.empty()) return out;
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  const std::size_t n = points.size();
  const double count = static_cast<double>(n);
  const std::size_t least = std::max<std::size_t>(1, options.least_points);
  const auto slice = [&](std::size_t begin, std::size_t end) {
    return std::span<const Point>(points).subspan(begin, end - begin);
  };
  const auto criterion = [&](const Best& best) {
    return count * std::log(best.rss / count + options.noise * options.noise) +
           best.parameters * std::log(count);
  };
  std::vector<std::vector<double>> rss(n, std::vector<double>(n + 1, 0));
  for (std::size_t begin = 0; begin < n; ++begin)
    for (std::size_t end = begin + 1; end <= n; ++end)
      rss[begin][end] = residual(slice(begin, end), fit_line(slice(begin, end)));

  // best[k][end]: points [0, end) in k + 1 segments
  const std::size_t most =
      std::clamp<std::size_t>(n / least, 1, std::max<std::size_t>(1, options.most_segments));
  std::vector<std::vector<Best>> best(most, std::vector<Best>(n + 1));
  for (std::size_t end = 1; end <= n; ++end) best[0][end] = {rss[0][end], 2, 0};
  for (std::size_t k = 1; k < most; ++k)
    for (std::size_t end = (k + 1) * least; end <= n; ++end)
      for (std::size_t begin = k * least; begin + least <= end; ++begin) {
        const Best& left = best[k - 1][begin];
        if (!std::isfinite(left.rss) || points[begin - 1].x == points[begin].x) continue;
        const bool expected = expected_between(options, points[begin - 1].x, points[begin].x) != nullptr;
        const Best candidate{left.rss + rss[begin][end], left.parameters + (expected ? 2 : 3), begin};
        if (criterion(candidate) < criterion(best[k][end])) best[k][end] = candidate;
      }
  std::size_t chosen = 0;
  for (std::size_t k = 1; k < most; ++k)
    if (criterion(best[k][n]) < criterion(best[chosen][n])) chosen = k;

  for (std::size_t k = chosen + 1, end = n; k-- > 0;) {
    const std::size_t begin = best[k][end].before;
    out.push_back({points[begin].x, points[end - 1].x, begin, end - begin, fit_line(slice(begin, end))});
    end = begin;
  }
  std::reverse(out.begin(), out.end());
  for (std::size_t i = 1; i < out.size(); ++i)
    out[i].from = out[i - 1].to =
        break_between(options, out[i - 1].line, out[i].line, out[i - 1].to, out[i].from);
  return out;
}

double value_at(const std::vector<FittedSegment>& segments, double x) {
  if (segments.empty()) return 0;
  for (const FittedSegment& segment : segments)
    if (x <= segment.to) return segment.line.at(x);
  return segments.back().line.at(x);
}

}  // namespace ww::stats

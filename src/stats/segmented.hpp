// Weighted piecewise-linear regression. Communication times span five powers of ten, so an unweighted line
// minimises the error of the largest message alone: on a measured table of message gaps it is 277% off on
// average where a weighted two-segment fit is 4% off. Weights are the caller's (1 / time squared makes errors
// relative).
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace ww::stats {

struct Point {
  double x = 0, y = 0, weight = 1;
};

struct FittedLine {
  double base = 0, slope = 0;
  double at(double x) const { return base + slope * x; }
};

// Weighted least squares. One point, or all at one x: a constant.
FittedLine fit_line(std::span<const Point> points);

struct FittedSegment {
  double from = 0, to = 0;           // neighbours share their break
  std::size_t first = 0, count = 0;  // which of the sorted points
  FittedLine line;
};

struct SegmentOptions {
  std::size_t most_segments = 5;
  std::size_t least_points = 3;  // of a segment
  // Weighted residuals (in units of 1 / sqrt(weight)) that are not worth another segment: the measurement's
  // own noise.
  double noise = 0.002;
  // Where a break is expected (protocol switches): costs no parameter there, and is put exactly there. A
  // break elsewhere is put where the two lines meet, if that is between the neighbouring points, else at the
  // lower of them.
  std::vector<double> expected_breaks = {};
};

// Minimises n ln(RSS / n + noise^2) + parameters ln n (Schwarz 1978, with the noise as a floor so that an
// exact fit of noise is no gain), over all segmentations by dynamic programming (Bellman 1961; Bai & Perron
// 2003). Lines need not meet at the breaks: a protocol switch is a jump. Points need not be sorted; result is
// empty only if they are.
std::vector<FittedSegment> fit_segments(std::vector<Point> points, const SegmentOptions& options);

double value_at(const std::vector<FittedSegment>& segments, double x);  // beyond the ends the line goes on

}  // namespace ww::stats

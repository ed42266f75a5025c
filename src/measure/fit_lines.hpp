// A segmented fit of sampled points as a Curve with intervals.
#pragma once
#include "measure/fit.hpp"

namespace ww::measure {

// Fits values_s (one a point) by lines with the given weights; `options` as of stats::fit_segments. Without
// intervals: they are the estimates themselves.
Curve fit_curve(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                const std::vector<double>& weights, const stats::SegmentOptions& options);

// The same with 95% intervals: bootstrap of the launches (all sizes of a launch together, with Student's
// factor for their small number), of the samples of every size, of the signs of the residuals (lack of fit),
// and of where the breaks are: each replicate is segmented anew. The base and slope of a segment in a
// replicate are those of the line through the replicate's values at the segment's first and last measured
// size.
Curve fit_curve_with_intervals(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                               const std::vector<double>& weights, const stats::SegmentOptions& options);

// No segment gives a time below nothing within its sizes.
bool never_negative(const Curve& curve);

}  // namespace ww::measure

// A segmented fit of sampled points as a Curve with intervals.
#pragma once
#include "measure/fit.hpp"

namespace ww::measure {

// Fits values_s (one a point) by lines with the given weights; `options` as of stats::fit_segments.
// Intervals: bootstrap of the samples of every size and of the signs of the residuals (lack of fit), with the
// breaks kept.
Curve fit_curve(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                const std::vector<double>& weights, const stats::SegmentOptions& options);

}  // namespace ww::measure

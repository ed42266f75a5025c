// Intervals of a mean of few values, or of clusters of values that belong together.
#pragma once
#include <cstddef>
#include <vector>

namespace ww::stats {

// The 97.5% point of Student's distribution; degrees >= 1. Exact to three decimals up to 30 degrees, beyond
// by the first terms of its expansion about the normal one (Abramowitz & Stegun 1964, 26.7.5).
double student_975(std::size_t degrees);

// Half the 95% interval of the mean of independent values: t s / sqrt(n). 0 for fewer than two.
double half_interval_of_mean(const std::vector<double>& values);

// Half the 95% interval of what the median of as many other values of the same normal distribution differs by from that
// of these: t s sqrt(2 v), v the variance of a median of n in units of that of one (beyond five values pi / 2n, its limit; that the
// whole is right is tried in student_test.cpp); of values above 0. Of two values s says next to nothing, and t is that of three: 85% then. 0 for fewer.
double half_interval_of_other_median(const std::vector<double>& values);

// The same where `alike` are others whose values differ by the same part of their mean: s is that of all, each group about its own mean, in parts
// of that, and t has the degrees of all. A group of one says nothing. 0 for fewer than two values, whatever is alike.
double half_interval_of_other_median(const std::vector<double>& values,
                                     const std::vector<std::vector<double>>& alike);

}  // namespace ww::stats

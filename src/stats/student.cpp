#include "stats/student.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

namespace ww::stats {

double student_975(std::size_t degrees) {
  static constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                     2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                     2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees <= std::size(table)) return table[std::max<std::size_t>(degrees, 1) - 1];
  constexpr double z = 1.959964;
  const double n = static_cast<double>(degrees);
  return z + (z * z * z + z) / (4 * n) + (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * n * n);
}

namespace {

// At least two values.
double standard_deviation(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (n - 1));
}

double variance_of_median(std::size_t count) {
  static constexpr double table[] = {1, 0.5, 0.4487, 0.2982, 0.2868};
  if (count <= std::size(table)) return table[count - 1];
  return std::numbers::pi / (2 * static_cast<double>(count));
}

}  // namespace

double half_interval_of_mean(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  return student_975(values.size() - 1) * standard_deviation(values) /
         std::sqrt(static_cast<double>(values.size()));
}

double half_interval_of_other_median(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const std::size_t degrees = std::max<std::size_t>(values.size() - 1, 2);
  return student_975(degrees) * standard_deviation(values) * std::sqrt(2 * variance_of_median(values.size()));
}

}  // namespace ww::stats

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

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// At least two values.
double standard_deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
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
  return half_interval_of_other_median(values, {});
}

double half_interval_of_other_median(const std::vector<double>& values,
                                     const std::vector<std::vector<double>>& alike) {
  if (values.size() < 2) return 0;
  double squares = 0;  // of parts of the mean
  std::size_t degrees = 0;
  const auto add = [&](const std::vector<double>& group) {
    const double middle = mean(group);
    if (group.size() < 2 || !(middle > 0)) return;
    const double part = standard_deviation(group) / middle;
    squares += static_cast<double>(group.size() - 1) * part * part;
    degrees += group.size() - 1;
  };
  add(values);
  for (const std::vector<double>& group : alike) add(group);
  if (degrees == 0) return 0;
  const double deviation = mean(values) * std::sqrt(squares / static_cast<double>(degrees));
  return student_975(std::max<std::size_t>(degrees, 2)) * deviation *
         std::sqrt(2 * variance_of_median(values.size()));
}

}  // namespace ww::stats

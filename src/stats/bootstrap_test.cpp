#include "stats/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ww::stats {
namespace {

TEST(Bootstrap, SameSeedSameResult) {
  const std::vector<double> samples{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(Resampler(5).resample(samples), Resampler(5).resample(samples));
  EXPECT_TRUE(Resampler(5).resample({}).empty());
}

// The standard error of a mean is s / sqrt(n) (analytic); the 95% range of replicates is 1.96 of it to each
// side.
TEST(Bootstrap, RangeOfAMean) {
  std::vector<double> samples, means;
  for (int i = 0; i < 400; ++i) samples.push_back(i % 20);  // variance (20^2 - 1) / 12
  Resampler random(11);
  for (int round = 0; round < 2000; ++round) {
    double sum = 0;
    for (const double x : random.resample(samples)) sum += x;
    means.push_back(sum / 400);
  }
  const Range range = percentile_range(means);
  const double half = 1.96 * std::sqrt(399.0 / 12 / 400);
  EXPECT_NEAR((range.high - range.low) / 2, half, 0.06 * half);
  EXPECT_NEAR((range.high + range.low) / 2, 9.5, 0.1 * half);
}

TEST(Bootstrap, SignsAreFair) {
  Resampler random(3);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += random.sign();
  EXPECT_LT(std::fabs(sum), 300);  // three standard deviations of 100
}

}  // namespace
}  // namespace ww::stats

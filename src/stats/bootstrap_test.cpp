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

// Mean 0 and variance 1 of the sum of twelve uniform numbers less six; of 10,000 draws the mean is within
// 0.03 and the variance within 0.05 (three standard errors), and 95% lie within 1.96 to within 1%.
TEST(Resampler, NormalHasMeanZeroAndVarianceOne) {
  Resampler random(7);
  double sum = 0, squares = 0;
  int within = 0;
  constexpr int draws = 10000;
  for (int i = 0; i < draws; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
    within += value > -1.96 && value < 1.96 ? 1 : 0;
  }
  EXPECT_NEAR(sum / draws, 0, 0.03);
  EXPECT_NEAR(squares / draws, 1, 0.05);
  EXPECT_NEAR(within / double{draws}, 0.95, 0.01);
}

}  // namespace
}  // namespace ww::stats

#include "stats/order.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ww::stats {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> out;
  for (int i = n; i >= 1; --i) out.push_back(i);
  return out;
}

TEST(Quantile, ByHand) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({10, 20, 30, 40, 50}, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 1), 20);
  EXPECT_DOUBLE_EQ(median({}), 0);
}

// Ranks from the table of 95% confidence intervals of the median in Le Boudec, Performance Evaluation (2010),
// A.1: n = 6: (1, 6); 10: (2, 9); 20: (6, 15); 50: (18, 33); 70: (27, 44).
TEST(MedianInterval, RanksOfTheTable) {
  const int table[][3] = {{6, 1, 6}, {10, 2, 9}, {20, 6, 15}, {50, 18, 33}, {70, 27, 44}};
  for (const auto& [n, low, high] : table) {
    const MedianInterval interval = median_interval(one_to(n));
    EXPECT_TRUE(interval.covered);
    EXPECT_EQ(interval.range.low, low) << n;
    EXPECT_EQ(interval.range.high, high) << n;
  }
}

TEST(MedianInterval, FewerThanSixSamplesCannotBeCovered) {
  const MedianInterval interval = median_interval(one_to(5));
  EXPECT_FALSE(interval.covered);
  EXPECT_EQ(interval.range.low, 1);
  EXPECT_EQ(interval.range.high, 5);
}

// 95% by definition; the discrete ranks make it a little more. Skewed samples, true median ln 2.
TEST(MedianInterval, CoversTheTrueMedianOfSkewedSamples) {
  std::mt19937 random(7);
  std::exponential_distribution<double> exponential(1);
  int covered = 0;
  constexpr int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> samples;
    for (int i = 0; i < 31; ++i) samples.push_back(exponential(random));
    const Range range = median_interval(samples).range;
    covered += range.low <= std::log(2.0) && std::log(2.0) <= range.high;
  }
  EXPECT_GE(covered, rounds * 0.94);
  EXPECT_LE(covered, rounds * 0.99);
}

TEST(StopRule, StopsWhenTheIntervalIsNarrow) {
  const StopRule rule{0.02, 6};
  EXPECT_FALSE(rule.satisfied({1, 1, 1, 1, 1}));
  EXPECT_TRUE(rule.satisfied({1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(rule.satisfied({0.99, 1, 1, 1, 1, 1.02}));
  EXPECT_FALSE(rule.satisfied({0.95, 1, 1, 1, 1, 1.02}));
}

// By hand. Of 1 - d, 1, 1 + d: s = d sqrt(2/3), margin 1.96 s / sqrt(3) = 0.92395 d, so 5% is d = 0.054116.
TEST(MeanStopRule, StopsWhenTheMarginOfTheMeanIsWithinFivePercent) {
  const MeanStopRule rule;
  EXPECT_FALSE(rule.satisfied({1, 1}));
  EXPECT_TRUE(rule.satisfied({1, 1, 1}));
  EXPECT_TRUE(rule.satisfied({1 - 0.0541, 1, 1 + 0.0541}));
  EXPECT_FALSE(rule.satisfied({1 - 0.0542, 1, 1 + 0.0542}));
  // half 1 and half 3: s = 1, m = 2, so 1.96 / sqrt(k) > 0.1 until k = 385; 20 end it all the same
  std::vector<double> apart;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(rule.satisfied(apart)) << i;
    apart.push_back(i % 2 == 0 ? 1 : 3);
  }
  EXPECT_TRUE(rule.satisfied(apart));
  EXPECT_FALSE(rule.within_margin(apart));
}

}  // namespace
}  // namespace ww::stats

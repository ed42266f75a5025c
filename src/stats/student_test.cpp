#include "stats/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "stats/order.hpp"

namespace ww::stats {
namespace {

// Abramowitz & Stegun 1964, table 26.10.
TEST(Student, TableAndExpansionAreThePublishedPoints) {
  EXPECT_NEAR(student_975(1), 12.706, 1e-3);
  EXPECT_NEAR(student_975(4), 2.776, 1e-3);
  EXPECT_NEAR(student_975(40), 2.021, 1e-3);
  EXPECT_NEAR(student_975(120), 1.980, 1e-3);
}

// By hand: 1, 2, 3 have mean 2 and deviation 1; 4.303 / sqrt 3.
TEST(Student, HalfIntervalOfThreeValues) {
  EXPECT_NEAR(half_interval_of_mean({1, 2, 3}), 4.303 / std::sqrt(3.0), 1e-3);
  EXPECT_EQ(half_interval_of_mean({5}), 0);
}

// What it says it is, tried: of pairs of samples of one normal distribution the medians are as near in 95 of 100. Of two
// values the quotient is Student's with one degree, whose part within 4.303 is 2/pi atan(4.303).
TEST(Student, TheMedianOfAsManyOthersIsWithinItsInterval) {
  std::mt19937_64 random(20261127);
  std::normal_distribution<double> normal(100, 7);
  for (const std::size_t count : {2, 3, 4, 5, 9}) {
    constexpr int pairs = 20000;
    int held = 0;
    for (int pair = 0; pair < pairs; ++pair) {
      std::vector<double> these(count), others(count);
      for (double& value : these) value = normal(random);
      for (double& value : others) value = normal(random);
      held += std::abs(median(these) - median(others)) <= half_interval_of_other_median(these) ? 1 : 0;
    }
    const double share = count == 2 ? 2 / std::numbers::pi * std::atan(4.303) : 0.95;
    EXPECT_NEAR(held, share * pairs, 0.015 * pairs) << count;
  }
  EXPECT_EQ(half_interval_of_other_median({5}), 0);
  EXPECT_NEAR(half_interval_of_other_median({1, 3}), 4.303 * std::sqrt(2.0),
              1e-3);  // t of two degrees, v = 1/2
}

// Three values with two groups of three that differ by the same part of another mean: six degrees, as near in 95 of 100, and by a third narrower
// than three alone say in the mean (2.447 for 4.303 of deviations whose mean is 0.96 and 0.886 of what they estimate).
TEST(Student, WhatDiffersAlikeTellsOfItToo) {
  std::mt19937_64 random(20261129);
  const auto three = [&](double middle) {
    std::normal_distribution<double> normal(middle, 0.03 * middle);
    return std::vector<double>{normal(random), normal(random), normal(random)};
  };
  constexpr int pairs = 20000;
  int held = 0;
  double alone_s = 0, together_s = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const std::vector<double> these = three(100), others = three(100);
    const double half = half_interval_of_other_median(these, {three(7), three(2000)});
    held += std::abs(median(these) - median(others)) <= half ? 1 : 0;
    together_s += half;
    alone_s += half_interval_of_other_median(these);
  }
  EXPECT_NEAR(held, 0.95 * pairs, 0.015 * pairs);
  EXPECT_NEAR(together_s / alone_s, 2.447 * 0.96 / (4.303 * 0.886), 0.02);
  EXPECT_EQ(half_interval_of_other_median({5}, {{1, 2, 3}}), 0);
  EXPECT_EQ(half_interval_of_other_median({1, 3}, {{5}}), half_interval_of_other_median({1, 3}));
}

}  // namespace
}  // namespace ww::stats

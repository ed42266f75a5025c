#include "stats/student.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace ww::stats

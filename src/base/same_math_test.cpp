#include "base/same_math.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace ww {
namespace {

// In units in the last place of `value`, from what x87's long double (64 bits) has of it.
double off_by(double value, long double truth) {
  const double unit =
      std::nextafter(std::fabs(value), std::numeric_limits<double>::infinity()) - std::fabs(value);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - truth) /
                             static_cast<long double>(unit));
}

TEST(SameMath, IsWithinAHundredthOfTheNearest) {
  std::mt19937_64 random(7);
  double log = 0, exp = 0, expm1 = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = std::ldexp(1 + std::ldexp(static_cast<double>(random() >> 12), -52),
                                static_cast<int>(random() % 2000) - 1000);
    log = std::max(log, off_by(same_log(x), logl(x)));
    const double near = 1 + std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5;
    log = std::max(log, off_by(same_log(near), logl(near)));
    const double y = std::ldexp(static_cast<double>(random() >> 11), -53) * 1400 - 700;
    exp = std::max(exp, off_by(same_exp(y), expl(y)));
    const double z = std::ldexp(static_cast<double>(random() >> 11), -53) * 4 - 2;
    expm1 = std::max(expm1, off_by(same_expm1(z), expm1l(z)));
  }
  EXPECT_LT(log, 0.51);
  EXPECT_LT(exp, 0.51);
  EXPECT_LT(expm1, 0.51);
}

// Digits: bc -l, scale 40.
TEST(SameMath, KnownValues) {
  EXPECT_EQ(same_log(2), 0.693147180559945309417232);
  EXPECT_EQ(same_log(10), 2.302585092994045684017991);
  EXPECT_EQ(same_log(1), 0);
  EXPECT_EQ(same_exp(1), 2.718281828459045235360287);
  EXPECT_EQ(same_exp(-1), 0.367879441171442321595523);
  EXPECT_EQ(same_exp(0), 1);
  EXPECT_EQ(same_expm1(1e-10), 1.00000000005000000000166667e-10);
  EXPECT_EQ(same_expm1(0), 0);
}

TEST(SameMath, Ends) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(same_log(0), -infinity);
  EXPECT_TRUE(std::isnan(same_log(-1)));
  EXPECT_EQ(same_log(infinity), infinity);
  EXPECT_EQ(same_exp(710), infinity);
  EXPECT_EQ(same_exp(-800), 0);
  EXPECT_EQ(same_expm1(-800), -1);
  EXPECT_EQ(same_expm1(infinity), infinity);
  EXPECT_EQ(same_exp(-infinity), 0);
}

}  // namespace
}  // namespace ww

#include <gtest/gtest.h>

#include "dilate/dilate.hpp"

namespace ww {
namespace {

// By hand: normalised times 10% longer are a speed-up of 1 / 1.1.
TEST(SelfTest, IsWhatTheNormalisedTimeIsOff) {
  Dilation dilation;
  dilation.speedup = {{1, 1, 1, 1}, {2, 1 / 1.01, 1 / 1.07, 1 / 0.96}, {4, 1 / 1.1, 1 / 1.2, 1 / 1.06}};
  const auto tests = self_test(dilation);
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_NEAR(tests[0].error, 0.01, 1e-12);
  EXPECT_NEAR(tests[0].low, -0.04, 1e-12);
  EXPECT_NEAR(tests[0].high, 0.07, 1e-12);
  EXPECT_NEAR(tests[1].error, 0.1, 1e-12);
  ASSERT_TRUE(dilation.diagnostics.has("self-test-off"));
  EXPECT_EQ(dilation.diagnostics.all().front().count, 1u) << "the runs of D = 2 hold an error of 0";
}

}  // namespace
}  // namespace ww

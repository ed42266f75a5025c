// Expected: the quotients that each gain is made of.
#include "render/prediction.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ww {
namespace {

TEST(ShowGain, WithItsIntervalWhereThereIsOne) {
  Gain gain{1.02, 0.81, 1.13, 16.7e-3, ""};
  EXPECT_EQ(show(gain), "1.02x   95%: 0.81x to 1.13x");
  EXPECT_EQ(in_csv(gain), ",0.0167,1.02,0.81,1.13");
  gain.high = 0;  // nothing is left of the lower bound
  EXPECT_EQ(show(gain), "1.02x   95%: 0.81x and more");
  gain.low = gain.high = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(show(gain), "1.02x");
  EXPECT_EQ(in_csv(gain), ",0.0167,1.02,,");
}

TEST(ShowGain, HasNoNumbersWhereItIsWithheld) {
  const Gain gain{1.1, 1, 1.2, 0.11, "the replay is off"};
  EXPECT_EQ(show(gain), "withheld");
  EXPECT_EQ(in_csv(gain), ",0.11,,,");
}

}  // namespace
}  // namespace ww

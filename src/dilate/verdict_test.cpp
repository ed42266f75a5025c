#include <gtest/gtest.h>

#include "dilate/dilate.hpp"

namespace ww {
namespace {

// The signatures and speed-ups that S3 prints for its two examples (Table 1, section 3.4).
TEST(Verdict, FirstExampleOfTheSourceIsComputationBound) {
  EXPECT_EQ(judge(0.063, 0.0, {{1, 1, 1, 1}, {16, 1.01, 1.0, 1.02}}).verdict, "computation-bound");
}

TEST(Verdict, SecondExampleOfTheSourceIsCommunicationBound) {
  EXPECT_EQ(judge(0.801, 0.1, {{1, 1, 1, 1}, {2, 1.8, 1.8, 1.8}, {4, 3.5, 3.5, 3.5}}).verdict,
            "communication-bound");
}

// "communicates much and gains little": S3's closing remark.
TEST(Verdict, MuchCommunicationAndLittleGainIsALogicalDelay) {
  EXPECT_EQ(judge(0.8, 0.7, {{1, 1, 1, 1}, {4, 1.1, 1.1, 1.1}}).verdict, "logical-delay");
}

TEST(Verdict, OneFactorAloneGivesNone) {
  EXPECT_EQ(judge(0.8, 0.1, {{1, 1, 1, 1}}).verdict, "");
}

}  // namespace
}  // namespace ww

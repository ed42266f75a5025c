#include <gtest/gtest.h>

#include "dilate/dilate.hpp"

namespace ww {
namespace {

// Of 100 us + 1 us a byte, with 10 us of software on either side.
MachineModel machine() {
  MachineModel model;
  Link link;
  link.one_way.segments = {{0, 1e9, 100e-6, 1e-6, {}, {}}};
  model.links = {link};
  model.costs.F.segments = {{0, 1e9, 10e-6, 0, {}, {}}};
  model.costs.U.segments = {{0, 1e9, 10e-6, 0, {}, {}}};
  return model;
}
double least(const char* spec) {
  return least_factor(*parse_what_if(spec), machine());
}
Result<void> enough(double factor, const char* spec) {
  return is_large_enough(factor, *parse_what_if(spec), machine());
}

// The algebra of dilation: each part of a message can be made faster by D at most (S3, section 2).
TEST(Feasible, TheLeastDIsTheLargestRatio) {
  EXPECT_EQ(least("bandwidth=x10,latency=x0.5"), 10);
  EXPECT_EQ(least("latency=x0.05"), 20);
  EXPECT_EQ(least("software=x0.25"), 4);
  EXPECT_EQ(least("compute=x3"), 3);
  EXPECT_EQ(least("bandwidth=x0.1"), 1) << "a slower network needs no stretching";
}

// The latency is what is left of 101 us of one byte without 20 us of software and its own 1 us.
TEST(Feasible, ALatencyInSecondsIsMeasuredAgainstTheMachine) {
  EXPECT_NEAR(least("latency=8us"), 10, 0.3);
  EXPECT_EQ(least("latency=800us"), 1);
}

// A wire that was measured 1% slower than messages of 8 KiB and more are: of 1 ms that is to be 10 us nothing is left for their
// software, which no D gives back. It is 20 us of 9 ms, and D is what all else needs.
TEST(Feasible, WhatNoDGivesBackAndIsWithinTheFitDoesNotChooseD) {
  MachineModel of = machine();
  of.links[0].one_way.segments = {{0, 1e9, 1e-3, 1e-6, {}, {}}};
  Wire wire;
  wire.seconds_per_byte = 1.01e-6;
  wire.frame_overhead_bytes = 0;
  of.links[0].wire = wire;
  const WhatIf what_if = *parse_what_if("latency=10us");
  const double factor = least_factor(what_if, of);
  EXPECT_GT(factor, 10);
  EXPECT_LT(factor, 200);
  EXPECT_TRUE(is_large_enough(factor, what_if, of));
}

TEST(Feasible, ATooSmallDIsRefusedAndTheLeastNamed) {
  EXPECT_TRUE(enough(10, "bandwidth=x10"));
  EXPECT_TRUE(enough(1, "latency=x7"));
  const auto refused = enough(5, "bandwidth=x10");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("too small"), std::string::npos);
  // 5% too slow may remain: from D = 9.5 or so on
  EXPECT_NE(refused.error().remedy.find("D = 9."), std::string::npos) << refused.error().remedy;
}

TEST(Feasible, WhatTheModelDoesNotHaveRefusesNothing) {
  EXPECT_TRUE(is_large_enough(1, *parse_what_if("latency=5us"), MachineModel{}));
}

}  // namespace
}  // namespace ww

#include "dilate/verdict.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

std::vector<SpeedUp> points(const std::vector<std::pair<double, double>>& of) {
  std::vector<SpeedUp> curve;
  for (const auto& [factor, value] : of) curve.push_back({factor, value, value, value});
  return curve;
}

// The signatures that S3 prints (Table 1), in percent; what of the waiting is algorithmic it does not say.
Components ex1(double algorithmic) {
  return {93.7, 0.5, 5.5, 0.3, algorithmic};
}
Components ex2(double algorithmic) {
  return {19.9, 5.1, 73.5, 1.5, algorithmic};
}

TEST(Verdict, FirstExampleOfTheSourceIsComputationBound) {
  for (const double algorithmic : {0.0, 5.5})
    EXPECT_EQ(judge({ex1(algorithmic), ex1(algorithmic), points({{1, 1}, {16, 1.01}})}).verdict,
              "computation-bound");
}

// Section 3.4.2: 10.0 s of waiting become 0.8 at D = 4; at 16 the user time and the software are left.
TEST(Verdict, SecondExampleOfTheSourceIsCommunicationBound) {
  for (const double algorithmic : {0.0, 10.0, 40.0}) {
    const Verdict at_4 =
        judge({ex2(algorithmic), {19.9, 5.1, 5.9, 1.5, 2}, points({{1, 1}, {2, 1.8}, {4, 3.5}})});
    EXPECT_EQ(at_4.verdict, "communication-bound");
    EXPECT_EQ(judge({ex2(algorithmic), {19.9, 5.1, 0.5, 1.5, 0}, points({{1, 1}, {16, 3.7}})}).verdict,
              "communication-bound");
    EXPECT_EQ(judge({ex2(algorithmic), {19.9, 5.1, 28.3, 1.5, 0}, points({{1, 1}, {2, 1.8}})}).verdict,
              "communication-bound");
  }
}

// The source's closing remark: a similar signature that shows little speed-up.
TEST(Verdict, TheSecondExamplesSignatureWithoutItsGainIsALogicalDelay) {
  const Verdict agreed = judge({ex2(70), ex2(73), points({{1, 1}, {4, 1.03}, {16, 1.05}})});
  EXPECT_EQ(agreed.verdict, "logical-delay");
  EXPECT_EQ(agreed.remark, Remark::trace_agrees);
  const Verdict doubted = judge({ex2(5), ex2(5), points({{1, 1}, {4, 1.03}, {16, 1.05}})});
  EXPECT_EQ(doubted.verdict, "logical-delay");
  EXPECT_EQ(doubted.remark, Remark::trace_disagrees);
}

// Half of the waiting went, which is a factor of 2 only because so much was left: by times, not by speed-ups.
TEST(Verdict, IsByTheTimeThatWentAway) {
  EXPECT_EQ(judge({{2, 0, 98, 0, 0}, {2, 0, 18, 0, 18}, points({{1, 1}, {16, 5}})}).verdict,
            "communication-bound");
}

TEST(Verdict, SaysWhereTheRoundsDoNotDecide) {
  auto curve = points({{1, 1}, {16, 3.7}});
  curve[1].low = 1.1;
  curve[1].high = 12;
  curve[1].interval = IntervalOf::student;
  EXPECT_EQ(judge({ex2(0), {19.9, 5.1, 0.5, 1.5, 0}, curve}).doubt, Doubt::undecided);
  EXPECT_EQ(judge({ex2(0), {19.9, 5.1, 0.5, 1.5, 0}, curve}).verdict, "");
  curve[1].low = 3.6;
  EXPECT_EQ(judge({ex2(0), {19.9, 5.1, 0.5, 1.5, 0}, curve}).doubt, Doubt::nothing);
}

// A user's program: 32.8% of the time is waiting, so 1 / (1 - 0.328) = 1.49 is the most; "1.90" came from the
// computation, which was disturbed at D = 1.
TEST(Verdict, IsWithheldWhereTheSpeedUpCannotBe) {
  const Components one{65, 1.5, 32.8, 0.7, 10}, four{40, 1.5, 10.4, 0.7, 5};
  auto curve = points({{1, 1}, {4, 1.90}});
  Verdict verdict = judge({one, four, curve});
  EXPECT_EQ(verdict.verdict, "");
  EXPECT_EQ(verdict.doubt, Doubt::too_quick);
  EXPECT_NEAR(verdict.evidence.most_possible, 1.49, 0.005);
  // ... as surely as the rounds say; where their interval holds what can be, they differ too much
  curve[1].interval = IntervalOf::student;
  curve[1].low = 1.7, curve[1].high = 2.1;
  EXPECT_FALSE(judge({one, four, curve}).rounds_differ);
  curve[1].low = 1.2;
  verdict = judge({one, four, curve});
  EXPECT_EQ(verdict.verdict, "");
  EXPECT_TRUE(verdict.rounds_differ);
  // the most that was seen in any round counts
  EXPECT_EQ(judge({one, four, curve, 1.95}).verdict, "communication-bound");
  // no network makes a program slower; what is off by less than the method is nothing
  EXPECT_EQ(judge({one, one, points({{1, 1}, {4, 0.8}})}).doubt, Doubt::slower);
  EXPECT_EQ(judge({one, one, points({{1, 1}, {4, 0.97}})}).verdict, "logical-delay");
  EXPECT_EQ(judge({ex1(0), ex1(0), points({{1, 1}, {16, 1.9}})}).verdict, "");
}

// The software of messages is computation for S3: a program of nothing else gains nothing from a wire.
TEST(Verdict, SoftwareOfMessagesIsNotWaiting) {
  EXPECT_EQ(judge({{30, 60, 5, 5, 0}, {30, 60, 1, 5, 0}, points({{1, 1}, {8, 1.04}})}).verdict,
            "computation-bound");
}

TEST(Verdict, OneFactorAloneGivesNone) {
  EXPECT_EQ(judge({ex2(0), ex2(0), points({{1, 1}})}).verdict, "");
  EXPECT_EQ(judge({ex2(0), ex2(0), {}}).verdict, "");
}

}  // namespace
}  // namespace ww

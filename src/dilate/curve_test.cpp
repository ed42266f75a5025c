#include "dilate/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "dilate/signature.hpp"

namespace ww {
namespace {

// A machine that became 50% slower between the rounds: the quotients of each round are 2, those across rounds
// 1.33 to 3.
TEST(Curve, ComparesRunsOfTheSameRound) {
  const auto curve = speedup_curve({{1, 1, 10}, {2, 1, 5}, {1, 2, 15}, {2, 2, 7.5}});
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_DOUBLE_EQ(curve[1].value, 2);
  EXPECT_DOUBLE_EQ(curve[1].low, 2);
  EXPECT_DOUBLE_EQ(curve[1].high, 2);
  EXPECT_EQ(curve[1].interval, IntervalOf::student);
  EXPECT_DOUBLE_EQ(curve[0].value, 1);
}

// Student's by hand, two values: half = 12.706 s / sqrt(2) with s = |a - b| / sqrt(2).
TEST(Curve, FewRoundsHaveAStudentInterval) {
  const auto curve = speedup_curve({{1, 1, 10}, {2, 1, 5}, {1, 2, 10}, {2, 2, 5.1}});
  const double a = std::log(10 / 5.0), b = std::log(10 / 5.1);
  const double half = 12.706 * std::fabs(a - b) / 2;
  EXPECT_NEAR(curve[1].low, std::exp((a + b) / 2 - half), 1e-4);
  EXPECT_NEAR(curve[1].high, std::exp((a + b) / 2 + half), 1e-4);
}

// With six values the order statistics that hold the median with 95% are the least and the largest (1 -
// 2/64).
TEST(Curve, SixRoundsTakeOrderStatistics) {
  std::vector<RoundTime> times;
  for (int round = 1; round <= 6; ++round) {
    times.push_back({1, round, 10});
    times.push_back({4, round, 5 + 0.1 * round});
  }
  const auto curve = speedup_curve(times);
  EXPECT_EQ(curve[1].interval, IntervalOf::order);
  EXPECT_NEAR(curve[1].low, 10 / 5.6, 1e-12);
  EXPECT_NEAR(curve[1].high, 10 / 5.1, 1e-12);
}

TEST(Curve, OneRoundHasNoInterval) {
  const auto curve = speedup_curve({{1, 1, 10}, {2, 1, 8}});
  EXPECT_EQ(curve[1].interval, IntervalOf::one_round);
  EXPECT_EQ(curve[1].low, curve[1].high);
  EXPECT_TRUE(speedup_curve({{2, 1, 8}, {4, 1, 6}}).empty())
      << "without D = 1 there is nothing to compare with";
}

std::vector<SpeedUp> points(const std::vector<std::pair<double, double>>& of) {
  std::vector<SpeedUp> curve;
  for (const auto& [factor, value] : of) curve.push_back({factor, value, value, value});
  return curve;
}

// S3's example 2: 1.8 at 2, 3.5 at 4, 3.7 at 6 and beyond. From 4 to 6 it gains 5.7%.
TEST(Curve, TheSourcesSecondExampleFlattensAtSix) {
  const auto curve = points({{1, 1}, {2, 1.8}, {4, 3.5}, {6, 3.7}, {8, 3.7}, {16, 3.7}});
  const auto flat = flattening(curve, {{6, {2.7, 0.7, 0.07, 0.2, 0.05}}});
  ASSERT_TRUE(flat.has_value());
  EXPECT_EQ(flat->factor, 6);
}

TEST(Curve, ThatStillRisesDoesNotFlatten) {
  EXPECT_FALSE(flattening(points({{1, 1}, {2, 1.8}, {4, 3.5}}), {}).has_value());
}

TEST(Curve, WhoGainsNothingIsFlatFromTheBeginning) {
  const auto flat = flattening(points({{1, 1}, {2, 1.01}, {16, 1.02}}), {{1, {1, 0.2, 8, 0.1, 7.5}}});
  ASSERT_TRUE(flat.has_value());
  EXPECT_EQ(flat->factor, 1);
}

// A step of 8% whose interval holds the point before it was not shown by the rounds.
TEST(Curve, AStepWithinTheIntervalIsNone) {
  auto curve = points({{1, 1}, {2, 1.5}, {4, 1.62}});
  curve[2].low = 1.4;
  curve[2].high = 1.9;
  curve[2].interval = IntervalOf::student;
  const auto flat = flattening(curve, {{2, {1, 3, 0.5, 0.1, 0}}});
  ASSERT_TRUE(flat.has_value());
  EXPECT_EQ(flat->factor, 2);
}

TEST(Signature, HasARowForEachFactorWithTheMeanOfTheRounds) {
  const auto run = [](double factor, int round, double s, double waits) {
    const Components c{s - waits, 0, waits, 0, 0};
    return SignedRun{factor, round, s, {{0, s, c}, {1, s, c}}};
  };
  const Signature signature =
      signature_of({run(1, 1, 10, 8), run(4, 1, 4, 2), run(1, 2, 12, 10), run(4, 2, 4.8, 2.8)});
  ASSERT_EQ(signature.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(signature.rows[0].mean.receive_wait_s, 9);
  EXPECT_DOUBLE_EQ(signature.rows[0].ranks[1].elapsed_s, 11);
  EXPECT_EQ(signature.verdict.verdict, "communication-bound");
  EXPECT_EQ(signature.speedup.size(), 2u);
}

}  // namespace
}  // namespace ww

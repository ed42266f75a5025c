#include <gtest/gtest.h>

#include <cmath>

#include "study/study.hpp"

namespace ww {
namespace {

TEST(Agreement, AnEstimateFromRunsIsTheMedianAndTheRange) {
  const Estimate e = from_runs({3, 1, 2, 9, 2});
  EXPECT_EQ(e.value_s, 2);
  EXPECT_EQ(e.low_s, 1);
  EXPECT_EQ(e.high_s, 9);
}

// Both sources of doubt are independent: below, 3 of the model and 4.303 * 5.033 * sqrt(2 * 0.4487) of three runs; above, 8.
TEST(Agreement, APredictionsIntervalHoldsThatOfTheModelAndWhatOtherRunsMayDifferBy) {
  Prediction middle;
  middle.predicted_s = 100;
  middle.predicted_low_s = 97;
  middle.predicted_high_s = 108;
  const Estimate e = from_predictions({96, 106, 100}, middle, {});
  EXPECT_EQ(e.value_s, 100);
  EXPECT_NEAR(e.low_s, 100 - std::hypot(3, 20.52), 0.01);
  EXPECT_NEAR(e.high_s, 100 + std::hypot(8, 20.52), 0.01);
  // Runs in virtual time that do not differ halve the variance: 2.776 * 5.033 / sqrt 2 * sqrt(2 * 0.4487).
  EXPECT_NEAR(from_predictions({96, 106, 100}, middle, {{}, {50, 50, 50}}).high_s,
              100 + std::hypot(8, 2.776 / 4.303 * 20.52 / std::sqrt(2.0)), 0.01);
  const Estimate once = from_predictions({100}, middle, {{99, 101}});
  EXPECT_EQ(once.low_s, 97);
  EXPECT_EQ(once.high_s, 108);
}

// What three runs differ by, 20.52 as above, is wider than what the model says.
TEST(Agreement, WhatRecordingsDifferByIsOneOfTheDoubts) {
  Prediction middle;
  middle.doubts = {{"the model's wire", 3, 8}};
  const std::vector<SourceOfDoubt> doubts = doubts_of_predictions({96, 106, 100}, middle, {});
  ASSERT_EQ(doubts.size(), 2);
  EXPECT_NEAR(doubts[0].above_s, 20.52, 0.01);
  EXPECT_EQ(doubts[1].source, "the model's wire");
  EXPECT_EQ(doubts_of_predictions({100}, middle, {}).size(), 1);
}

TEST(Agreement, OverlappingIntervalsAgree) {
  WhatIfAnswer answer;
  answer.simulated = {1.0, 0.8, 1.3};
  answer.dilated = Estimate{1.25, 1.2, 1.3};
  judge_agreement(answer);
  EXPECT_TRUE(answer.agree) << answer.disagreement;
}

TEST(Agreement, TheWorstPairIsNamed) {
  WhatIfAnswer answer;
  answer.simulated = {1.0, 0.99, 1.01};
  answer.dilated = Estimate{1.2, 1.19, 1.21};
  answer.real = Estimate{1.5, 1.49, 1.51};
  judge_agreement(answer);
  EXPECT_FALSE(answer.agree);
  EXPECT_EQ(answer.disagreement, "simulation says 1 s, reality 1.5 s: 50% apart");
}

// By hand: of 0.5 s apart 0.4 are waiting.
TEST(Agreement, WhatThePairIsMostApartInIsNamedWithWhatEitherAssumes) {
  WhatIfAnswer answer;
  answer.simulated = {1.0, 0.99, 1.01};
  answer.real = Estimate{1.5, 1.49, 1.51};
  answer.components["simulation"] = {.user_s = 0.5, .communication_s = 0.1, .receive_wait_s = 0.4};
  answer.components["reality"] = {.user_s = 0.6, .communication_s = 0.1, .receive_wait_s = 0.8};
  judge_agreement(answer);
  EXPECT_NE(answer.disagreement.find("most in waiting: 0.4 s of a rank's time against 0.8"),
            std::string::npos);
  EXPECT_NE(answer.disagreement.find("simulation assumes that messages meet"), std::string::npos);
  EXPECT_EQ(answer.disagreement.find("reality assumes"), std::string::npos);
}

TEST(Agreement, OneAnswerAloneAgreesWithNothing) {
  WhatIfAnswer answer;
  answer.simulated = {1.0, 0.9, 1.1};
  judge_agreement(answer);
  EXPECT_FALSE(answer.agree);
}

}  // namespace
}  // namespace ww

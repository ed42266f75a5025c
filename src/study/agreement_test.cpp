#include <gtest/gtest.h>

#include "study/study.hpp"

namespace ww {
namespace {

TEST(Agreement, AnEstimateFromRunsIsTheMedianAndTheRange) {
  const Estimate e = from_runs({3, 1, 2, 9, 2});
  EXPECT_EQ(e.value_s, 2);
  EXPECT_EQ(e.low_s, 1);
  EXPECT_EQ(e.high_s, 9);
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

TEST(Agreement, OneAnswerAloneAgreesWithNothing) {
  WhatIfAnswer answer;
  answer.simulated = {1.0, 0.9, 1.1};
  judge_agreement(answer);
  EXPECT_FALSE(answer.agree);
}

}  // namespace
}  // namespace ww

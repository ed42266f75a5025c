#include "dilate/conditions.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

// Two ranks that poll on a machine of two cores, undisturbed.
RunFacts calm(double factor = 1) {
  RunFacts facts;
  facts.factor = factor;
  facts.ranks = 2;
  facts.run.machine = {"here", 2, {}};
  for (int number : {0, 1}) {
    RunRecord::Rank rank;
    rank.rank = number;
    rank.host = "here";
    rank.cpu_s = 0.999;
    rank.elapsed_s = 1;
    rank.involuntary_switches = 4;
    rank.arithmetic_s = {1e-5, 1.01e-5};
    facts.run.ranks.push_back(rank);
  }
  return facts;
}

std::string text_of(const Diagnostics& said, const std::string& name) {
  for (const Diagnostic& each : said.all())
    if (each.name == name) return each.remedy;
  return "";
}

TEST(ConditionsSoFar, OfACalmMachineThereIsNothingToSay) {
  EXPECT_TRUE(conditions_of_runs({calm(1), calm(2), calm(4)}).all().empty());
  EXPECT_TRUE(conditions_of_runs({}).all().empty());
  EXPECT_TRUE(conditions_of_runs({RunFacts{}}).all().empty());  // a trace that says nothing of its machine
}

TEST(ConditionsSoFar, WhatDisturbedARunIsSaidWithItsD) {
  RunFacts facts = calm(4);
  facts.run.ranks[1].waited_s = 0.4;
  EXPECT_NE(text_of(conditions_of_runs({calm(1), facts}), "core-shared").find("rank 1 at D = 4 was ready"),
            std::string::npos);
}

TEST(ConditionsSoFar, ArithmeticThatTakesLongerAtOneEndOrInOneRun) {
  RunFacts slower = calm(2);
  slower.run.ranks[1].arithmetic_s = {1e-5, 1.05e-5};
  const Diagnostics within = conditions_of_runs({slower});
  EXPECT_NE(text_of(within, "frequency-changed").find("rank 1 5% longer (at D = 2)"), std::string::npos);
  slower.run.ranks[1].arithmetic_s = {1.04e-5, 1.04e-5};
  EXPECT_TRUE(conditions_of_runs({slower}).all().empty());
  EXPECT_TRUE(conditions_of_runs({calm(1), slower}).has("frequency-changed"));
}

TEST(ConditionsSoFar, NoCommunicationAtAll) {
  RunFacts silent = calm(), talks = calm();
  silent.communicates = false;
  EXPECT_TRUE(conditions_of_runs({silent, silent}).has("no-communication"));
  EXPECT_TRUE(conditions_of_runs({silent, talks}).all().empty());
  silent.ranks = 1;
  EXPECT_NE(text_of(conditions_of_runs({silent}), "no-communication").find("one rank"), std::string::npos);
}

}  // namespace
}  // namespace ww

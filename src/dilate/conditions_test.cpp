#include "dilate/conditions.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

using nlohmann::json;

// Two ranks that poll on a machine of two cores, undisturbed.
RunFacts calm(double factor = 1) {
  RunFacts facts;
  facts.factor = factor;
  facts.ranks = 2;
  facts.wall_s = 2;
  facts.run = {{"machine", {{"name", "here"}, {"usable_processors", 2}}}, {"ranks", json::array()}};
  for (int rank : {0, 1})
    facts.run["ranks"].push_back({{"rank", rank},
                                  {"host", "here"},
                                  {"cpu_s", 0.999},
                                  {"elapsed_s", 1.0},
                                  {"involuntary_switches", 4},
                                  {"arithmetic_s", {1e-5, 1.01e-5}}});
  return facts;
}

std::string text_of(const Diagnostics& said, const std::string& name) {
  for (const Diagnostic& each : said.all())
    if (each.name == name) return each.remedy;
  return "";
}

TEST(Conditions, OfACalmMachineThereIsNothingToSay) {
  EXPECT_TRUE(conditions_of_runs({calm(1), calm(2), calm(4)}).all().empty());
  EXPECT_TRUE(conditions_of_runs({}).all().empty());
  EXPECT_TRUE(conditions_of_runs({RunFacts{}}).all().empty());  // a trace that says nothing of its machine
}

TEST(Conditions, MoreRanksThanCoresOfTheirHost) {
  RunFacts facts = calm();
  facts.run["ranks"].push_back(facts.run["ranks"][0]);
  const Diagnostics said = conditions_of_runs({facts, facts});
  ASSERT_EQ(said.all().size(), 1u);
  EXPECT_EQ(said.all()[0].name, "oversubscribed");
  EXPECT_EQ(said.all()[0].count, 2u);  // runs
  EXPECT_NE(said.all()[0].remedy.find("3 ranks on here share 2 usable cores"), std::string::npos);
  facts.run["ranks"][2]["host"] = "elsewhere";  // whose cores nobody knows
  EXPECT_TRUE(conditions_of_runs({facts}).all().empty());
  facts.run["lab"] = "default";  // all hosts of a lab are on this machine
  EXPECT_TRUE(conditions_of_runs({facts}).has("oversubscribed"));
}

TEST(Conditions, ThreadsThatComputeNeedCoresToo) {
  RunFacts facts = calm();
  facts.run["ranks"][0]["cpu_s"] = 1.9;
  const Diagnostics said = conditions_of_runs({facts});
  EXPECT_NE(text_of(said, "oversubscribed").find("3 threads of ranks"), std::string::npos);
}

TEST(Conditions, ACoreThatIsLostAgainAndAgain) {
  RunFacts facts = calm(4);
  facts.run["ranks"][1]["cpu_s"] = 0.6;
  EXPECT_TRUE(conditions_of_runs({facts}).all().empty());  // it sleeps
  facts.run["ranks"][1]["involuntary_switches"] = 240;
  const Diagnostics said = conditions_of_runs({facts});
  EXPECT_NE(text_of(said, "core-shared").find("rank 1 at D = 4 had its core for 60% of its time"),
            std::string::npos);
}

TEST(Conditions, OtherProgramsMatterWhereTheyTakeCoresFromTheRanks) {
  RunFacts facts = calm();
  facts.other_cores = 0.5;
  EXPECT_TRUE(conditions_of_runs({facts}).has("other-load"));
  facts.run["machine"]["usable_processors"] = 8;
  EXPECT_TRUE(conditions_of_runs({facts}).all().empty());
}

TEST(Conditions, TimeThatTheHostKept) {
  RunFacts facts = calm(2);
  facts.stolen_cores = 0.01;  // half a percent of two
  EXPECT_TRUE(conditions_of_runs({facts}).all().empty());
  facts.stolen_cores = 0.1;
  EXPECT_NE(text_of(conditions_of_runs({facts}), "stolen-time").find("kept 5.0% of its cores' time"),
            std::string::npos);
}

TEST(Conditions, ArithmeticThatTakesLongerAtOneEndOrInOneRun) {
  RunFacts slower = calm(2);
  slower.run["ranks"][1]["arithmetic_s"] = {1e-5, 1.05e-5};
  const Diagnostics within = conditions_of_runs({slower});
  EXPECT_NE(text_of(within, "frequency-changed").find("rank 1 5% longer (at D = 2)"), std::string::npos);
  slower.run["ranks"][1]["arithmetic_s"] = {1.04e-5, 1.04e-5};
  EXPECT_TRUE(conditions_of_runs({slower}).all().empty());
  EXPECT_TRUE(conditions_of_runs({calm(1), slower}).has("frequency-changed"));
}

TEST(Conditions, NoCommunicationAtAll) {
  RunFacts silent = calm(), talks = calm();
  silent.communicates = false;
  EXPECT_TRUE(conditions_of_runs({silent, silent}).has("no-communication"));
  EXPECT_TRUE(conditions_of_runs({silent, talks}).all().empty());
  silent.ranks = 1;
  EXPECT_NE(text_of(conditions_of_runs({silent}), "no-communication").find("one rank"), std::string::npos);
}

}  // namespace
}  // namespace ww

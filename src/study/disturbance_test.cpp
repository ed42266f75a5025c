#include "study/disturbance.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

Trace trace_of(int ranks, int usable) {
  Trace trace;
  trace.ranks.resize(static_cast<std::size_t>(ranks));
  for (RankTrace& rank : trace.ranks) rank.host = "h";
  trace.run = {{"machine", {{"usable_processors", usable}}}};
  return trace;
}

TEST(Disturbance, MoreRanksThanCoresIsSaidWithItsSign) {
  const Diagnostics found = find_disturbance(trace_of(4, 2));
  ASSERT_TRUE(found.has("times-disturbed"));
  EXPECT_EQ(found.all().front().remedy.rfind("4 ranks on h share 2 usable cores, so they take turns", 0), 0u);
}

TEST(Disturbance, ACoreForEachRankIsFine) {
  EXPECT_TRUE(find_disturbance(trace_of(2, 2)).all().empty());
}

TEST(Disturbance, TheHostsOfALabShareOneMachine) {
  Trace trace = trace_of(3, 2);
  for (std::size_t i = 0; i < 3; ++i) trace.ranks[i].host = "h" + std::to_string(i);
  EXPECT_TRUE(find_disturbance(trace).all().empty());
  trace.run["lab"] = "default";
  EXPECT_TRUE(find_disturbance(trace).has("times-disturbed"));
}

TEST(Disturbance, ARankThatDidNotGetItsCoreIsNamed) {
  Trace trace = trace_of(2, 2);
  trace.run["ranks"] = {{{"rank", 0}, {"cpu_s", 1.99}, {"elapsed_s", 2.0}},
                        {{"rank", 1}, {"cpu_s", 1.2}, {"elapsed_s", 2.0}, {"involuntary_switches", 77}}};
  const Diagnostics found = find_disturbance(trace);
  ASSERT_TRUE(found.has("times-disturbed"));
  EXPECT_EQ(found.all().front().remedy.rfind("rank 1 had the processor for only 60%", 0), 0u);
}

}  // namespace
}  // namespace ww

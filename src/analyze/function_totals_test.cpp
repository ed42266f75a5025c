// Expectations: sums by hand.
#include "analyze/function_totals.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww {
namespace {

nlohmann::json function(const char* name, int calls, double own_s, double all_s) {
  return {
      {"name", name}, {"calls", calls}, {"recorded", 0}, {"own_ns", own_s * 1e9}, {"all_ns", all_s * 1e9}};
}

TEST(Functions, AreSummedAndThoseWorthARegionNamed) {
  nlohmann::json others = function("", 5000, 0.1, 0);
  others.erase("name");
  nlohmann::json tiny = function("tiny", 4000000, 0.4, 0.4);
  tiny["thinned"] = true;
  const nlohmann::json run{
      {"ranks",
       {{{"rank", 0},
         {"elapsed_s", 2},
         {"functions",
          {{"count_only", true},
           {"list", {function("main", 1, 0.5, 2), function("A::operator[]", 10, 0.4, 0.5), tiny, others}}}}},
        {{"rank", 1},
         {"elapsed_s", 2},
         {"functions", {{"list", {function("main", 1, 0.7, 2), function("rare", 1, 0.001, 0.001)}}}}},
        {{"rank", 2}, {"elapsed_s", 2}}}}};
  const FunctionTotals totals = find_functions(run_from_json(run));
  ASSERT_EQ(totals.functions.size(), 5u);
  EXPECT_EQ(totals.ranks, 2u) << "the third counted nothing";
  EXPECT_DOUBLE_EQ(totals.elapsed_s, 4);
  EXPECT_TRUE(totals.only_counted);
  EXPECT_EQ(totals.functions[0].name, "main");
  EXPECT_DOUBLE_EQ(totals.functions[0].own_s, 1.2);
  EXPECT_EQ(totals.functions[0].calls, 2u);
  EXPECT_EQ(totals.functions[0].ranks, 2u);
  EXPECT_EQ(totals.functions[4].name, "") << "the others stand last";
  EXPECT_DOUBLE_EQ(totals.functions[1].calls_a_second + totals.functions[2].calls_a_second, 5 + 2e6);
  // tiny: 10% of the time, but 0.1 us a call; rare: 1 ms a call, but 0.03%.
  EXPECT_EQ(totals.worth_recording, (std::vector<std::string>{"main", "A::operator[]"}));
  EXPECT_EQ(as_patterns(totals.worth_recording), "main,A::operator\\[]");
}

TEST(Functions, OfADamagedRunAreWhatItHas) {
  for (const char* text : {R"({})", R"({"ranks": [{"functions": 3}]})",
                           R"({"ranks": [{"functions": {"list": [3, {}, {"name": 4, "calls": "x"}]}}]})"})
    EXPECT_TRUE(find_functions(run_from_json(nlohmann::json::parse(text))).worth_recording.empty()) << text;
}

}  // namespace
}  // namespace ww

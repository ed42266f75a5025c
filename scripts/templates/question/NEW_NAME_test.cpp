// Expected values are those that the trace is built from.
#include <gtest/gtest.h>

#include "analyze/questions.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

TEST(NewName, TellsTheLongestCallOfEachRank) {
  TraceBuilder builder(2, 1'000'000);
  builder.call(0, "MPI_Wtime", 100, 200);
  builder.call(0, "MPI_Barrier", 1000, 5000, {collective_action(0, 0)});
  builder.call(1, "MPI_Barrier", 4000, 5000, {collective_action(0, 0)});
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  const Waits waits = find_waits(trace, nullptr);
  const auto answer = NEW_NAME_question.answer({trace, breakdown, waits, std::nullopt, "", "", std::nullopt});
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->json["ranks"], nlohmann::json::parse(R"([{"rank":0,"call":"MPI_Barrier","seconds":4e-6},
                                                             {"rank":1,"call":"MPI_Barrier","seconds":1e-6}])"));
  EXPECT_NE(answer->text.find("MPI_Barrier"), std::string::npos);
}

}  // namespace
}  // namespace ww

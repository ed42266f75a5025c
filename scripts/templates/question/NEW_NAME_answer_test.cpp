// Expected values are those that the trace is built from.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "render/questions/questions.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

TEST(NewName, TellsWhatEachRankSent) {
  TraceBuilder builder(2, 1'000'000);
  builder.call(0, "MPI_Send", 1000, 2000, {message_action(ActionKind::send, 1, 7, 64)});
  builder.call(0, "MPI_Send", 3000, 4000, {message_action(ActionKind::send, 1, 7, 2000)});
  builder.call(1, "MPI_Recv", 500, 2500, {message_action(ActionKind::recv, 0, 7, 64)});
  builder.call(1, "MPI_Recv", 3000, 5000, {message_action(ActionKind::recv, 0, 7, 2000)});
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  const Waits waits = find_waits(trace, nullptr);
  const auto answer = NEW_NAME_question.answer({trace, breakdown, waits, std::nullopt, "", "", std::nullopt});
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->json["ranks"], nlohmann::json::parse(R"([{"rank":0,"messages":2,"bytes":2064},
                                                             {"rank":1,"messages":0,"bytes":0}])"));
  EXPECT_NE(answer->text.find("2.02 KiB"), std::string::npos) << answer->text;
}

}  // namespace
}  // namespace ww

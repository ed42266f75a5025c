// Expected shares are worked out by hand from the times of each case.
#include "render/breakdown_text.hpp"

#include <gtest/gtest.h>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

TEST(ShowBreakdown, TextFitsAHundredColumns) {
  TraceBuilder builder(60, 123456789012);
  for (std::size_t r = 0; r < 60; ++r)
    builder.trace().ranks[r].host = "node-with-a-name-" + std::to_string(r);
  builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 3, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 3, 8)});
  builder.call(2, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 4, 8)});
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  for (const By by : {By::overview, By::rank, By::call, By::peer, By::type, By::region}) {
    const std::string text = show(breakdown, trace, show_tables(breakdown, trace, by));
    EXPECT_NE(text.find("unmatched-receive"), std::string::npos);
    EXPECT_NE(text.find("0 sends and 1 receive without their other side"), std::string::npos);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      EXPECT_LE(end - at, 100u) << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

// The timed program lies between MPI_Init and MPI_Finalize: from 100 to 900 here. What is outside has no
// share.
TEST(ShowBreakdown, SharesOfCallsAreOfTheTimedProgram) {
  TraceBuilder builder(2, 900);
  for (std::size_t r = 0; r < 2; ++r) {
    builder.trace().ranks[r].begin_ns = 100;
    builder.call(r, "MPI_Init", 0, 100);
    builder.call(r, "MPI_Barrier", 300, 500, {collective_action(0, 0)});
    builder.call(r, "MPI_Finalize", 900, 20000);
  }
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  const std::string text = show_tables(breakdown, trace, By::call);
  EXPECT_LT(text.find("MPI_Barrier"), text.find("MPI_Finalize")) << text;
  EXPECT_NE(text.find("25.0%"), std::string::npos) << text;  // 400 of 1600 ns
  EXPECT_NE(text.find("outside"), std::string::npos) << text;
}

// Rank 1 is in MPI_Recv from 100 to 940, rank 0 computes until it sends at 920: 820 of 1000.
TEST(ShowBreakdown, NamesTheFaultBeforeAnyTable) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 920, 930, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 100, 940, {message_action(ActionKind::recv, 0, 7, 8)});
  const Trace trace = builder.matched();
  const std::string text = show_tables(break_down(trace, nullptr), trace, By::overview);
  EXPECT_EQ(text.find("Late sender: rank 1 waits 82%"), 0u) << text;
  EXPECT_NE(text.find("What to do: let rank 0 send earlier"), std::string::npos) << text;
  EXPECT_EQ(show(std::vector<Cause>()), "No rank waits for 5% of its time.\n");
}

}  // namespace
}  // namespace ww

// Expected paths follow by hand from the rule in critical_path.hpp.
#include "analyze/critical_path.hpp"

#include <gtest/gtest.h>

#include <random>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr double ns = 1e-9;

CriticalPath path_of(const Trace& trace) {
  return find_critical_path(trace, find_waits(trace, nullptr));
}

// Rank 0 computes for 600 and sends; rank 1 receives from 100 to 700 and computes until 1500.
TEST(CriticalPath, GoesToTheRankThatWasWaitedFor) {
  TraceBuilder builder(2, 1000);
  builder.trace().ranks[1].end_ns = 1500;
  builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 0, 8)});
  const CriticalPath path = path_of(builder.matched());
  ASSERT_EQ(path.parts.size(), 3u);
  EXPECT_EQ(path.parts[0].rank, 0);
  EXPECT_EQ(path.parts[0].call, none);
  EXPECT_EQ(path.parts[0].to_ns, 600);
  EXPECT_EQ(path.parts[1].rank, 1);
  EXPECT_EQ(path.parts[1].call, 0u);
  EXPECT_NEAR(path.length_s, 1500 * ns, 1e-15);
  EXPECT_NEAR(path.compute_s, 1400 * ns, 1e-15);
  EXPECT_NEAR(path.calls_s.at("MPI_Recv"), 100 * ns, 1e-15);
  EXPECT_NEAR(path.ranks.at(0).compute_s, 600 * ns, 1e-15);
  EXPECT_EQ(path.ranks.at(1).visits, 1u);
}

// The send began before the receive was entered: nobody was waited for to begin, the path stays.
TEST(CriticalPath, StaysWhereNobodyWasLate) {
  TraceBuilder builder(2, 1000);
  builder.trace().ranks[1].end_ns = 1500;
  builder.call(0, "MPI_Send", 50, 60, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 0, 8)});
  const CriticalPath path = path_of(builder.matched());
  EXPECT_FALSE(path.ranks.contains(0));
  EXPECT_NEAR(path.calls_s.at("MPI_Recv"), 600 * ns, 1e-15);
  EXPECT_NEAR(path.compute_s, 900 * ns, 1e-15);
}

// The last rank of each of two barriers: rank 2 until 400, then rank 1 until 900.
TEST(CriticalPath, ThroughCollectivesByTheLastToEnter) {
  TraceBuilder builder(3, 1000);
  const std::int64_t first[] = {100, 200, 400}, second[] = {700, 900, 500};
  for (std::size_t r = 0; r < 3; ++r) {
    builder.call(r, "MPI_Barrier", first[r], 410, {collective_action(0, 0)});
    builder.call(r, "MPI_Barrier", second[r], 920, {collective_action(0, 0)});
  }
  const CriticalPath path = path_of(builder.matched());
  // 0 to 400 on rank 2; the barrier's 10 and 410 to 900 on rank 1; the rest on rank 0, the first that ends
  // last
  EXPECT_NEAR(path.ranks.at(2).compute_s, 400 * ns, 1e-15);
  EXPECT_NEAR(path.ranks.at(1).compute_s, 490 * ns, 1e-15);
  EXPECT_NEAR(path.ranks.at(0).compute_s, 80 * ns, 1e-15);
  EXPECT_NEAR(path.calls_s.at("MPI_Barrier"), 30 * ns, 1e-15);
  EXPECT_NEAR(path.length_s, 1000 * ns, 1e-15);
}

// A large send that waited for its receive to be posted at 400 leads to the receiver.
TEST(CriticalPath, FromASenderToItsLateReceiver) {
  TraceBuilder builder(2, 600);
  builder.trace().ranks[0].end_ns = 1000;
  builder.call(0, "MPI_Send", 100, 500, {message_action(ActionKind::send, 1, 0, 1 << 20)});
  builder.call(1, "MPI_Recv", 400, 520, {message_action(ActionKind::recv, 0, 0, 1 << 20)});
  const CriticalPath path = path_of(builder.matched());
  EXPECT_NEAR(path.ranks.at(1).compute_s, 400 * ns, 1e-15);
  EXPECT_NEAR(path.calls_s.at("MPI_Send"), 100 * ns, 1e-15);
}

// Whatever the clocks say, the path has no gaps, goes forward, and is as long as the run of its last rank.
TEST(CriticalPath, HasNoGapsWhateverTheClocks) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    TraceBuilder builder(4, 100'000);
    std::vector<std::int64_t> now(4, 0);
    for (int i = 0; i < 200; ++i) {
      const std::size_t from = random() % 4, to = random() % 4;
      const auto pause = [&] { return static_cast<std::int64_t>(random() % 200); };
      const auto enter_send = now[from] += pause();
      builder.call(from, "MPI_Send", enter_send, now[from] += pause(),
                   {message_action(ActionKind::send, static_cast<std::int32_t>(to), 0, random() % 9000)});
      const auto enter_receive = now[to] += pause();
      builder.call(to, "MPI_Recv", enter_receive, now[to] += pause(),
                   {message_action(ActionKind::recv, static_cast<std::int32_t>(from), 0, 8)});
    }
    const CriticalPath path = path_of(builder.matched());
    ASSERT_FALSE(path.parts.empty());
    EXPECT_EQ(path.parts.front().from_ns, 0);
    EXPECT_EQ(path.parts.back().to_ns, 100'000);
    for (std::size_t i = 0; i < path.parts.size(); ++i) {
      EXPECT_LT(path.parts[i].from_ns, path.parts[i].to_ns);
      if (i > 0) {
        EXPECT_EQ(path.parts[i - 1].to_ns, path.parts[i].from_ns);
      }
    }
  }
}

}  // namespace
}  // namespace ww

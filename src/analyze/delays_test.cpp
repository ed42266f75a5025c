// Closed forms: times follow by hand from computations and flights. No call has software of its own here.
#include "analyze/delays.hpp"

#include <gtest/gtest.h>

#include "analyze/breakdown.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr double ns = 1e-9;

Action sent_to(std::int32_t rank, std::uint64_t bytes = 8) {
  return message_action(ActionKind::send, rank, 0, bytes);
}
Action got_from(std::int32_t rank, std::uint64_t bytes = 8) {
  return message_action(ActionKind::recv, rank, 0, bytes);
}

void ends_at(TraceBuilder& builder, std::size_t rank, std::int64_t end_ns) {
  builder.trace().ranks[rank].end_ns = end_ns;
}

// Nobody computes: each rank waits for the other's message and, half of the time, for the other to begin, who
// waits for a message himself. All of it is the network's.
TEST(Delays, APingPongWaitsForTheNetworkOnly) {
  constexpr std::int64_t flight = 1000, call = 10, rounds = 20;
  TraceBuilder builder(2, 2 * flight * rounds);
  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t begin = round * 2 * flight;
    builder.call(0, "MPI_Send", begin, begin + call, {sent_to(1)});
    builder.call(1, "MPI_Recv", round == 0 ? 0 : begin - flight + call, begin + flight, {got_from(0)});
    builder.call(1, "MPI_Send", begin + flight, begin + flight + call, {sent_to(0)});
    builder.call(0, "MPI_Recv", begin + call, begin + 2 * flight, {got_from(1)});
  }
  const Breakdown found = break_down(builder.matched(), nullptr);
  for (const RankBreakdown& rank : found.ranks) {
    EXPECT_GT(rank.blocked_algorithmic_s, 0.4 * rank.elapsed_s);  // as defined, and kept
    EXPECT_NEAR(rank.blocked_by_algorithm_s, 0, 1e-15);
    EXPECT_NEAR(rank.blocked_by_network_s, rank.blocked_s, 1e-15);
  }
}

// Rank 0 computes for 600 and sends; rank 1 receives from 100 to 700: 500 are rank 0's computation.
TEST(Delays, APlantedComputationIsNotTheNetworks) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 600, 620, {sent_to(1)});
  builder.call(1, "MPI_Recv", 100, 700, {got_from(0)});
  const Breakdown found = break_down(builder.matched(), nullptr);
  EXPECT_NEAR(found.ranks[1].blocked_algorithmic_s, 500 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[1].blocked_by_algorithm_s, 500 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[1].blocked_by_network_s, 100 * ns, 1e-15);
  const DelayCosts costs = costs_of(found.delays);
  EXPECT_EQ(costs.ranks[0].direct_ns, 500);
  EXPECT_EQ(costs.ranks[0].propagated_ns, 0);
  EXPECT_EQ(costs.ranks[1].direct_ns, 0);
}

// Rank 0 computes for 1000; messages fly for 100; rank 1 computes 50 before it passes it on. Rank 2 has
// waited 1150 for rank 1 to begin: 1000 for rank 0's computation by way of rank 1, 50 for rank 1's, 100 for
// the first message; and 100 for its own.
TEST(Delays, GoThroughAPipeline) {
  TraceBuilder builder(3, 2000);
  builder.call(0, "MPI_Send", 1000, 1000, {sent_to(1)});
  builder.call(1, "MPI_Recv", 0, 1100, {got_from(0)});
  builder.call(1, "MPI_Send", 1150, 1150, {sent_to(2)});
  builder.call(2, "MPI_Recv", 0, 1250, {got_from(1)});
  for (std::size_t r = 0; r < 3; ++r) ends_at(builder, r, r == 0 ? 1000 : r == 1 ? 1150 : 1250);
  const Breakdown found = break_down(builder.matched(), nullptr);
  EXPECT_NEAR(found.ranks[2].blocked_algorithmic_s, 1150 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[2].blocked_by_algorithm_s, 1050 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[2].blocked_by_network_s, 200 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[1].blocked_by_algorithm_s, 1000 * ns, 1e-15);
  EXPECT_EQ(found.delays.elapsed_ns, 1050);
  const DelayCosts costs = costs_of(found.delays);
  EXPECT_EQ(costs.ranks[0].direct_ns, 1000);      // rank 1's
  EXPECT_EQ(costs.ranks[0].propagated_ns, 1000);  // rank 2's
  EXPECT_EQ(costs.ranks[1].direct_ns, 50);
  EXPECT_EQ(costs.ranks[1].propagated_ns, 0);
}

// Rank 1 computes for 1000 just while rank 0 waits for it, but only because a message took 5000 to reach it;
// rank 0 was busy until then. Without that message's flight nobody would have waited.
TEST(Delays, ThatANetworkCausedBeforeAreTheNetworks) {
  TraceBuilder builder(2, 6100);
  builder.call(0, "MPI_Send", 0, 10, {sent_to(1)});
  builder.call(1, "MPI_Recv", 0, 5000, {got_from(0)});
  builder.call(1, "MPI_Send", 6000, 6010, {sent_to(0)});
  builder.call(0, "MPI_Recv", 5000, 6100, {got_from(1)});
  const Breakdown found = break_down(builder.matched(), nullptr);
  EXPECT_NEAR(found.ranks[0].blocked_algorithmic_s, 1000 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[0].blocked_by_algorithm_s, 0, 1e-15);
  EXPECT_NEAR(found.ranks[0].blocked_by_network_s, 1100 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[1].blocked_by_network_s, 5000 * ns, 1e-15);
}

// The other way round: rank 1 has to wait 5000 for rank 2's message, and so did not see that rank 0, which
// computes for 3000, was late, too.
TEST(Delays, ThatTheNetworkHidAreTheAlgorithms) {
  TraceBuilder builder(3, 6000);
  builder.call(2, "MPI_Send", 0, 0, {sent_to(1)});
  builder.call(0, "MPI_Send", 3000, 3000, {sent_to(1)});
  builder.call(1, "MPI_Recv", 0, 5000, {got_from(2)});
  builder.call(1, "MPI_Recv", 5000, 5010, {got_from(0)});
  const Breakdown found = break_down(builder.matched(), nullptr);
  EXPECT_NEAR(found.ranks[1].blocked_algorithmic_s, 0, 1e-15);
  EXPECT_NEAR(found.ranks[1].blocked_by_algorithm_s, 3000 * ns, 1e-15);
  EXPECT_NEAR(found.ranks[1].blocked_by_network_s, 2010 * ns, 1e-15);
  EXPECT_EQ(costs_of(found.delays).ranks[0].direct_ns, 3000);
}

// Two barriers, rank 2 first late by its computation of 400, then rank 1 by one of 490 of its own.
TEST(Delays, GoThroughCollectives) {
  TraceBuilder builder(3, 1000);
  const std::int64_t first[] = {100, 200, 400}, second[] = {700, 900, 500};
  for (std::size_t r = 0; r < 3; ++r) {
    builder.call(r, "MPI_Barrier", first[r], 410, {collective_action(0, 0)});
    builder.call(r, "MPI_Barrier", second[r], 920, {collective_action(0, 0)});
  }
  const Breakdown found = break_down(builder.matched(), nullptr);
  const double waits[] = {300 + 200, 200, 400};
  const double network[] = {10 + 20, 10 + 20, 10 + 20};
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_NEAR(found.ranks[r].blocked_by_algorithm_s, waits[r] * ns, 1e-15) << r;
    EXPECT_NEAR(found.ranks[r].blocked_by_network_s, network[r] * ns, 1e-15) << r;
  }
  const DelayCosts costs = costs_of(found.delays);
  EXPECT_EQ(costs.ranks[2].direct_ns, 300 + 200);
  EXPECT_EQ(costs.ranks[1].direct_ns, 200 + 400);
}

// Of every rank: blocked = the network's + the algorithm's, none negative, in a trace with contradictory
// clocks too: rank 0 receives before rank 1 sends, and the other way round.
TEST(Delays, AddUpWhateverTheClocksSay) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Recv", 0, 100, {got_from(1)});
  builder.call(0, "MPI_Send", 200, 210, {sent_to(1)});
  builder.call(1, "MPI_Recv", 0, 150, {got_from(0)});
  builder.call(1, "MPI_Send", 300, 310, {sent_to(0)});
  const Breakdown found = break_down(builder.matched(), nullptr);
  EXPECT_GT(found.delays.not_followed, 0u);
  for (const RankBreakdown& rank : found.ranks) {
    EXPECT_NEAR(rank.blocked_by_network_s + rank.blocked_by_algorithm_s, rank.blocked_s, 1e-15);
    EXPECT_GE(rank.blocked_by_network_s, 0);
    EXPECT_GE(rank.blocked_by_algorithm_s, 0);
  }
}

}  // namespace
}  // namespace ww

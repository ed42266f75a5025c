// Expectations: MPI 3.1 chapter 5 says which rank's data goes where in each of these collectives.
#include "analyze/carried.hpp"

#include <gtest/gtest.h>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

using Pairs = std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t>;

Action sent_to(std::int32_t peer, std::uint64_t bytes, std::uint64_t operation = 0) {
  return {ActionKind::sent_to, peer, 0, 0, bytes, 0, operation, 0};
}

// Rank 0's alltoallv differs and is told by rank, 1's does not.
TEST(Carried, TakesAlltoallvAsToldAndEvenlyElse) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Alltoallv", 10, 20, {collective_action(24, 12), sent_to(1, 24)});
  builder.call(1, "MPI_Alltoallv", 10, 20, {collective_action(8, 28)});
  builder.trace().volumes_told = true;
  EXPECT_EQ(carried_by_collectives(builder.matched()).bytes, (Pairs{{{0, 1}, 24}, {{1, 0}, 4}, {{1, 1}, 4}}));
}

// Non-blocking ones know what they sent from their beginning; two begun in one call are told apart.
TEST(Carried, TellsTwoBegunInOneCallApart) {
  TraceBuilder builder(2, 1000);
  const auto begun = [](std::uint64_t operation, std::uint64_t bytes) {
    return Action{ActionKind::icollective,
                  -1,
                  1 + static_cast<std::int32_t>(CollectiveOp::alltoallv),
                  0,
                  bytes,
                  0,
                  operation,
                  0};
  };
  const auto done = [](std::uint64_t operation, std::uint64_t bytes) {
    return Action{ActionKind::icollective_done, -1, 0, 0, bytes, 0, operation, 0};
  };
  builder.call(0, "MPI_Startall", 10, 20, {begun(1, 20), begun(2, 7), sent_to(0, 7, 2)});
  builder.call(0, "MPI_Waitall", 30, 40, {done(1, 20), done(2, 7)});
  builder.trace().volumes_told = true;
  EXPECT_EQ(carried_by_collectives(builder.matched()).bytes, (Pairs{{{0, 0}, 17}, {{0, 1}, 10}}));
}

// Of other tools' archives nobody knows that an alltoallv of which nothing is told sent as much to all.
TEST(Carried, GuessesNothingOfOtherTools) {
  TraceBuilder builder(2, 1000);
  for (std::size_t r = 0; r < 2; ++r) builder.call(r, "MPI_Alltoallv", 10, 20, {collective_action(8, 8)});
  EXPECT_TRUE(carried_by_collectives(builder.matched()).bytes.empty());
}

TEST(Carried, FollowsRootsAndCountsOwnParts) {
  TraceBuilder builder(3, 1000);
  const std::uint64_t part[] = {1, 0, 5};
  for (std::size_t r = 0; r < 3; ++r) {
    builder.call(r, "MPI_Gatherv", 10, 20, {collective_action(part[r], r == 2 ? 6 : 0, 2)});
    builder.call(r, "MPI_Scatterv", 30, 40, {collective_action(r == 1 ? 60 : 0, 10 * part[r], 1)});
    builder.call(r, "MPI_Bcast", 50, 60, {collective_action(r == 0 ? 9 : 0, r == 0 ? 0 : 9, 0)});
  }
  EXPECT_EQ(carried_by_collectives(builder.matched()).bytes,
            (Pairs{{{0, 1}, 9}, {{0, 2}, 1 + 9}, {{2, 2}, 5}, {{1, 0}, 10}, {{1, 2}, 50}}));
}

// first-use.md, W9: 50 gathers and scatters of 32 KiB were "no messages", "0 B".
TEST(Carried, CountsCollectivesOfOneSizeToo) {
  TraceBuilder builder(3, 100000);
  const std::uint64_t part = 32768;
  for (int i = 0; i < 50; ++i)
    for (std::size_t r = 0; r < 3; ++r) {
      const std::int64_t at = 100 * i;
      builder.call(r, "MPI_Gather", at + 10, at + 20, {collective_action(part, r == 1 ? 3 * part : 0, 1)});
      builder.call(r, "MPI_Scatter", at + 30, at + 40, {collective_action(r == 1 ? 3 * part : 0, part, 1)});
    }
  EXPECT_EQ(carried_by_collectives(builder.matched()).bytes, (Pairs{{{0, 1}, 50 * part},
                                                                    {{1, 1}, 2 * 50 * part},
                                                                    {{2, 1}, 50 * part},
                                                                    {{1, 0}, 50 * part},
                                                                    {{1, 2}, 50 * part}}));
}

TEST(Carried, EveryRankToEveryOther) {
  TraceBuilder builder(2, 1000);
  for (std::size_t r = 0; r < 2; ++r) {
    builder.call(r, "MPI_Alltoall", 10, 20, {collective_action(40, 40)});  // 20 for each
    builder.call(r, "MPI_Allgather", 30, 40, {collective_action(3, 6)});
  }
  EXPECT_EQ(carried_by_collectives(builder.matched()).bytes,
            (Pairs{{{0, 0}, 23}, {{0, 1}, 23}, {{1, 0}, 23}, {{1, 1}, 23}}));
}

// What a reduction to one rank takes in is each member's; what one to several takes in is combined on its
// way.
TEST(Carried, ReductionsToOneHaveADestination) {
  TraceBuilder builder(2, 1000);
  for (std::size_t r = 0; r < 2; ++r) {
    builder.call(r, "MPI_Reduce", 10, 20, {collective_action(8, r == 0 ? 8 : 0, 0)});
    builder.call(r, "MPI_Allreduce", 30, 40, {collective_action(16, 16)});
    builder.call(r, "MPI_Barrier", 50, 60, {collective_action(0, 0)});
  }
  const Carried carried = carried_by_collectives(builder.matched());
  EXPECT_EQ(carried.bytes, (Pairs{{{0, 0}, 8}, {{1, 0}, 8}}));
  EXPECT_EQ(carried.combined_bytes, 32u);
}

// Score-P says that the root of a broadcast receives of itself, too.
TEST(Carried, TheRootOfABroadcastSendsNothingToItself) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Bcast", 10, 20, {collective_action(14, 7, 0)});
  builder.call(1, "MPI_Bcast", 10, 20, {collective_action(0, 7, 0)});
  EXPECT_EQ(carried_by_collectives(builder.matched()).bytes, (Pairs{{{0, 1}, 7}}));
}

// Our recorder counts what a member of an allgatherv gives once, Score-P once for every receiver.
TEST(Carried, ReadsAllgathervOfEitherConvention) {
  for (const std::uint64_t times : {1u, 2u}) {
    TraceBuilder builder(2, 1000);
    builder.call(0, "MPI_Allgatherv", 10, 20, {collective_action(3 * times, 10)});
    builder.call(1, "MPI_Allgatherv", 10, 20, {collective_action(7 * times, 10)});
    EXPECT_EQ(carried_by_collectives(builder.matched()).bytes,
              (Pairs{{{0, 0}, 3}, {{0, 1}, 3}, {{1, 0}, 7}, {{1, 1}, 7}}))
        << times;
  }
}

// Ranks 0 and 1 are one group, 2 the other, which is the root: its group says so by no rank (-1).
TEST(Carried, CrossesIntercommunicators) {
  TraceBuilder builder(3, 1000);
  builder.trace().comms.push_back({"between", {0, 1, 2}, 2});
  const auto over = [](Action action) {
    action.comm = 1;
    return action;
  };
  builder.call(0, "MPI_Gatherv", 10, 20, {over(collective_action(4, 0, 2))});
  builder.call(1, "MPI_Gatherv", 10, 20, {over(collective_action(6, 0, 2))});
  builder.call(2, "MPI_Gatherv", 10, 20, {over(collective_action(0, 10, -1))});
  for (std::size_t r = 0; r < 3; ++r)
    builder.call(r, "MPI_Alltoallv", 30, 40, {over(collective_action(2, 2))});
  builder.trace().volumes_told = true;
  EXPECT_EQ(carried_by_collectives(builder.matched()).bytes,
            (Pairs{{{0, 2}, 6}, {{1, 2}, 8}, {{2, 0}, 1}, {{2, 1}, 1}}));
}

TEST(Carried, StopsListingWhatGoesToAll) {
  TraceBuilder builder(3, 1000);
  for (std::size_t r = 0; r < 3; ++r) {
    builder.call(r, "MPI_Allgatherv", 10, 20, {collective_action(4, 12)});
    builder.call(r, "MPI_Gatherv", 30, 40, {collective_action(1, r == 0 ? 3 : 0, 0)});
  }
  const Carried carried = carried_by_collectives(builder.matched(), 8);
  EXPECT_EQ(carried.pairs_not_listed, 9u);
  EXPECT_EQ(carried.bytes, (Pairs{{{0, 0}, 1}, {{1, 0}, 1}, {{2, 0}, 1}}));
}

}  // namespace
}  // namespace ww

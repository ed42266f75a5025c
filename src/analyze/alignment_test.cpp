// Expected lags are differences of the times of hand-built runs.
#include "analyze/alignment.hpp"

#include <gtest/gtest.h>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

// B computes 10 ns longer before the first call, which takes 5 less there; between the last two calls B has one that A has not.
TEST(Alignment, LagIsMadeOfComputingCallsAndWhatTheOtherHasNot) {
  TraceBuilder a(1, 200), b(1, 260);
  a.call(0, "MPI_Send", 20, 40);
  b.call(0, "MPI_Send", 30, 45);
  a.call(0, "MPI_Recv", 100, 150);
  b.call(0, "MPI_Test", 50, 60);  // not aligned, and nobody lacks it
  b.call(0, "MPI_Recv", 105, 175);
  b.call(0, "MPI_Barrier", 180, 190);
  a.call(0, "MPI_Wait", 160, 170);
  b.call(0, "MPI_Wait", 205, 215);
  const Alignment found = align(a.matched(), b.matched(), 4, 100);
  ASSERT_EQ(found.ranks.size(), 1u);
  const RankLag& rank = found.ranks[0];
  EXPECT_EQ(rank.calls_a, 3u);
  EXPECT_EQ(rank.calls_b, 4u);
  EXPECT_EQ(rank.aligned, 3u);
  EXPECT_EQ(rank.end_later_ns, 60);
  // before Send +10, between Send and Recv (105 - 45) - (100 - 40) = 0, after Wait (260 - 215) - (200 - 170) = 15
  EXPECT_NEAR(found.computing.later_s, 25e-9, 1e-18);
  EXPECT_NEAR(found.not_aligned.later_s, ((205 - 175) - (160 - 150)) * 1e-9, 1e-18);
  ASSERT_EQ(found.calls.size(), 3u);
  EXPECT_EQ(found.calls[0].name, "MPI_Recv");
  EXPECT_NEAR(found.calls[0].later_s, 20e-9, 1e-18);
  EXPECT_EQ(found.calls[1].name, "MPI_Send");
  EXPECT_NEAR(found.calls[1].later_s, -5e-9, 1e-18);
  // bins of 50 ns of A's time: at the end of Send 5, none in the second, at the end of Recv 25, at the end 60
  EXPECT_EQ(rank.later_ns, (std::vector<double>{5, 5, 5, 60}));
}

TEST(Alignment, TheLargestStepsAreKept) {
  TraceBuilder a(2, 1000), b(2, 1000);
  for (std::int64_t i = 0; i < 20; ++i) {
    a.call(1, "MPI_Send", 40 * i, 40 * i + 20);
    b.call(1, "MPI_Send", 40 * i, 40 * i + 20 - i);  // the call takes i less, what follows i more
  }
  const Alignment found = align(a.matched(), b.matched(), 1, 3);
  EXPECT_EQ(found.all_steps, 40u);
  ASSERT_EQ(found.steps.size(), 3u);
  EXPECT_EQ(found.steps[0].grew_ns(), -19);
  EXPECT_EQ(found.steps[0].call, 19u);
  EXPECT_TRUE(found.steps[0].in_call);
  EXPECT_EQ(found.steps[0].later_ns, -19);
  EXPECT_EQ(std::abs(found.steps[1].grew_ns()), 18);
}

TEST(Alignment, OfOtherProgramsAndRanksWhatIsThere) {
  TraceBuilder a(1, 100), b(2, 300);
  a.call(0, "MPI_Send", 10, 20);
  b.call(0, "MPI_Recv", 10, 20);
  const Alignment found = align(a.matched(), b.matched(), 2, 10);
  ASSERT_EQ(found.ranks.size(), 1u);
  EXPECT_EQ(found.ranks[0].aligned, 0u);
  EXPECT_EQ(found.ranks[0].end_later_ns, 200);
  EXPECT_NEAR(found.not_aligned.later_s, 200e-9, 1e-18);
  EXPECT_TRUE(found.steps.empty());
}

}  // namespace
}  // namespace ww

#include "view/answers/alignment.hpp"

#include <gtest/gtest.h>

#include "analyze/random_trace_fixture.hpp"
#include "view/index_fixture.hpp"

namespace ww::view {
namespace {

struct Called {
  const char* name;
  std::int64_t enter_ns;
};

std::shared_ptr<const Index> run(const std::vector<Called>& calls, std::size_t ranks = 1) {
  TraceBuilder builder(ranks, 1000);
  for (const Called& call : calls) builder.call(0, call.name, call.enter_ns, call.enter_ns + 5);
  return index_of(builder.matched());
}

TEST(ViewAlignment, OfTheSameRunIsWithoutLag) {
  const auto index = index_of(random_trace(2));
  const Alignment same = align(*index, *index, 10).value();
  ASSERT_EQ(same.ranks.size(), index->ranks());
  for (const AlignedRank& rank : same.ranks) {
    EXPECT_EQ(rank.only_a + rank.only_b, 0u);
    EXPECT_EQ(rank.aligned, index->calls(rank.rank));
    EXPECT_EQ(rank.last_lag_ns, 0);
  }
}

TEST(ViewAlignment, SaysHowMuchLaterTheSecondIs) {
  const auto a = run({{"MPI_Send", 100}, {"MPI_Recv", 150}, {"MPI_Send", 600}});
  const auto b = run({{"MPI_Send", 110}, {"MPI_Recv", 180}, {"MPI_Send", 550}}, 2);
  const Alignment aligned = align(*a, *b, 2).value();
  EXPECT_EQ(aligned.bin_ns, 500);
  EXPECT_EQ(aligned.ranks_only_b, 1u);
  ASSERT_EQ(aligned.ranks.size(), 1u);
  EXPECT_EQ(aligned.ranks[0].lag_ns[0], 20);   // of 10 and 30 the mean
  EXPECT_EQ(aligned.ranks[0].lag_ns[1], -50);  // earlier
  EXPECT_EQ(aligned.ranks[0].last_lag_ns, -50);
  EXPECT_FALSE(align(*a, *b, 10).value().ranks[0].lag_ns[9]);  // no call is entered there
}

// B makes two calls that A does not make, A one that B does not make, and both ask as often as they like.
TEST(ViewAlignment, GoesOnAfterWhatOnlyOneOfThemCalls) {
  const auto a = run({{"MPI_Send", 100},
                      {"MPI_Test", 110},
                      {"MPI_Recv", 200},
                      {"MPI_Barrier", 300},
                      {"MPI_Bcast", 400},
                      {"MPI_Send", 500},
                      {"MPI_Recv", 600}});
  const auto b = run({{"MPI_Send", 107},
                      {"MPI_Test", 120},
                      {"MPI_Test", 130},
                      {"MPI_Scan", 150},
                      {"MPI_Scan", 170},
                      {"MPI_Recv", 207},
                      {"MPI_Barrier", 307},
                      {"MPI_Bcast", 407},
                      {"MPI_Recv", 607}});
  const AlignedRank rank = align(*a, *b, 1).value().ranks[0];
  EXPECT_EQ(rank.aligned, 5u);
  EXPECT_EQ(rank.only_a, 1u);  // the second send
  EXPECT_EQ(rank.only_b, 2u);  // the scans
  EXPECT_EQ(rank.lag_ns[0], 7);
}

}  // namespace
}  // namespace ww::view

// Expected: what jittered.hpp promises, of a program whose computations are known.
#include "simulate/jittered.hpp"

#include <gtest/gtest.h>

#include "simulate/trace_builder.hpp"

namespace ww::simulate {
namespace {

// Two ranks compute 1000 times for a millisecond, so a rank gets some 50 delays of 100 us in the mean, 5 ms of a second.
TEST(Jittered, MakesSomeComputationsALittleLonger) {
  auto builder = TraceBuilder::spread(2);
  for (int i = 0; i < 500; ++i) {
    for (const int rank : {0, 1}) builder.compute(rank, 1e-3);
    builder.send(0, 1, 8);
    builder.recv(1, 0, 8);
    for (const int rank : {0, 1}) builder.compute(rank, 1e-3);
    builder.send(1, 0, 8);
    builder.recv(0, 1, 8);
  }
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  const auto others = jittered(*program);
  ASSERT_EQ(others.size(), 3u);
  std::vector<double> sums_s;
  for (const auto& other : others)
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const RankProgram &was = program->ranks[rank], &is = other->ranks[rank];
      ASSERT_EQ(was.size(), is.size());
      double sum_s = 0;
      int longer = 0;
      for (std::size_t i = 0; i < was.seconds.size(); ++i) {
        const double by_s = is.seconds[i] - was.seconds[i];
        EXPECT_GE(by_s, 0);
        EXPECT_LE(by_s, longest_jitter_s);
        sum_s += by_s;
        longer += by_s > 0 ? 1 : 0;
      }
      EXPECT_NEAR(sum_s, most_jitter * program->recorded.elapsed_s, 3e-3);
      EXPECT_NEAR(longer, 50, 25);
      for (const double before_s : sums_s) EXPECT_NE(before_s, sum_s);
      sums_s.push_back(sum_s);
    }
}

TEST(Jittered, KnowsNothingOfWhatComputesNothing) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 8);
  builder.recv(1, 0, 8);
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  EXPECT_TRUE(jittered(*program).empty());
}

}  // namespace
}  // namespace ww::simulate

// Max-min fair rates by hand; simgrid/max_min_test.cpp compares random cases with SimGrid.
#include "simulate/networks/shared_links.hpp"

#include <gtest/gtest.h>

namespace ww::simulate {
namespace {

// Bertsekas and Gallager's kind of example: links 0 and 1 of 10 and 6 bytes a second; one flow over both, two
// over the first, one over the second. Filling: at 3 the second link is full with two flows; the first has 10
// - 3 left for two flows, 3.5 each.
TEST(SharedLinks, ProgressiveFilling) {
  SharedLinks links({10, 6});
  const auto both = links.begin({0, 1}, 100, 0), first = links.begin({0}, 100, 0),
             again = links.begin({0}, 100, 0), second = links.begin({1}, 100, 0);
  links.settle(0);
  EXPECT_DOUBLE_EQ(links.rate(both), 3);
  EXPECT_DOUBLE_EQ(links.rate(second), 3);
  EXPECT_DOUBLE_EQ(links.rate(first), 3.5);
  EXPECT_DOUBLE_EQ(links.rate(again), 3.5);
  EXPECT_DOUBLE_EQ(links.next_end_s(), 100 / 3.5);
}

// Two flows of 10 and 30 bytes over a link of 2: 1 each until 10 s, then the second has 20 left at 2: 20 s. A
// third on another link is untouched by both.
TEST(SharedLinks, WhoStaysGetsWhatALeavingFlowHad) {
  SharedLinks links({2, 7});
  const auto quick = links.begin({0}, 10, 0), slow = links.begin({0}, 30, 0),
             apart = links.begin({1}, 700, 0);
  links.settle(0);
  EXPECT_DOUBLE_EQ(links.next_end_s(), 10);
  EXPECT_EQ(links.take_ended(), quick);
  links.settle(10);
  EXPECT_DOUBLE_EQ(links.rate(slow), 2);
  EXPECT_DOUBLE_EQ(links.rate(apart), 7);
  EXPECT_DOUBLE_EQ(links.next_end_s(), 20);
  EXPECT_EQ(links.take_ended(), slow);
  links.settle(20);
  EXPECT_EQ(links.flows_on(0), 0u);
  EXPECT_DOUBLE_EQ(links.next_end_s(), 100);
}

TEST(SharedLinks, NothingToSendEndsAtOnce) {
  SharedLinks links({1});
  const auto empty = links.begin({0}, 0, 5);
  links.settle(5);
  EXPECT_DOUBLE_EQ(links.next_end_s(), 5);
  EXPECT_EQ(links.take_ended(), empty);
}

}  // namespace
}  // namespace ww::simulate

// Expected values are sums of the times of each hand-built trace.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analyze/user_regions.hpp"
#include "analyze/user_values.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr double ns = 1e-9;

RegionTotals regions_of(const Trace& trace) {
  return find_regions(trace, break_down(trace, nullptr));
}

void expect_time(const RegionTime& time, std::uint64_t visits, double total, double compute, double blocked,
                 double own) {
  EXPECT_EQ(time.visits, visits);
  EXPECT_NEAR(time.time_s, total * ns, 1e-15);
  EXPECT_NEAR(time.compute_s, compute * ns, 1e-15);
  EXPECT_NEAR(time.blocked_s(), blocked * ns, 1e-15);
  EXPECT_NEAR(time.library_s, (total - compute - blocked) * ns, 1e-15);
  EXPECT_NEAR(time.own_s, own * ns, 1e-15);
}

// Rank 1 receives from 100 to 700 what is sent at 600: 500 of it are algorithmic. No call of that kind did
// not wait, so that the other 100 count as blocked, too.
TEST(UserRegions, WhatIsInThemAndWhatIsNot) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 7, 8)});
  builder.trace().user.regions = {"solve", "exchange", "unused"};
  builder.trace().ranks[1].user.regions = {{50, 900, 0, 0}, {90, 710, 1, 0}, {800, 820, 0, 0}};
  builder.trace().ranks[0].user.regions = {{0, 100, 0, 0}};
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  const RegionTotals totals = find_regions(trace, breakdown);
  // the third visit lies within the first, of the same name
  expect_time(totals.regions[0].by_rank[1], 2, 850, 250, 600, 850 - 620);
  EXPECT_NEAR(totals.regions[0].by_rank[1].blocked_algorithmic_s, 500 * ns, 1e-15);
  expect_time(totals.regions[1].by_rank[1], 1, 620, 20, 600, 620);
  expect_time(totals.regions[0].by_rank[0], 1, 100, 100, 0, 100);
  expect_time(totals.regions[0].all, 3, 950, 350, 600, 330);
  expect_time(totals.regions[2].all, 0, 0, 0, 0, 0);
  // the same by where they stand: of the outermost all that is not within another, each inner one apart
  ASSERT_EQ(totals.tree.size(), 3u);
  expect_time(totals.tree[0].all, 2, 950, 350, 600, 950 - 620 - 20);
  expect_time(totals.tree[1].all, 1, 620, 20, 600, 620);
  expect_time(totals.tree[2].all, 1, 20, 20, 0, 20);
  EXPECT_EQ(totals.tree[0].within, RegionNode::no_node);
  for (const std::size_t inner : {1, 2}) {
    EXPECT_EQ(totals.tree[inner].within, 0u);
    EXPECT_EQ(totals.tree[inner].depth, 1u);
  }
  const nlohmann::json json = to_json(totals);
  EXPECT_EQ(json[1]["paths"][0]["within"], nlohmann::json({"solve"}));
  EXPECT_EQ(json[0]["paths"].size(), 2u);
  EXPECT_EQ(json[2]["paths"].size(), 0u);
  // with what is outside of the outermost regions they are the rank
  for (std::size_t r = 0; r < 2; ++r) {
    const RegionTime &in = totals.regions[0].by_rank[r], &out = totals.outside.by_rank[r];
    EXPECT_NEAR(in.time_s + out.time_s, breakdown.ranks[r].elapsed_s, 1e-15);
    EXPECT_NEAR(in.compute_s + out.compute_s, breakdown.ranks[r].compute_s, 1e-15);
    EXPECT_NEAR(in.library_s + out.library_s, breakdown.ranks[r].library_s, 1e-15);
    EXPECT_NEAR(in.blocked_s() + out.blocked_s(), breakdown.ranks[r].blocked_s, 1e-15);
  }
}

TEST(UserRegions, RecursionHasNodesToItsLimit) {
  TraceBuilder builder(1, 10'000);
  builder.trace().user.regions = {"again"};
  for (std::int64_t depth = 0; depth < 100; ++depth)
    builder.trace().ranks[0].user.regions.push_back({depth, 1000 - depth, 0, 0});
  const RegionTotals totals = regions_of(builder.matched());
  ASSERT_EQ(totals.tree.size(), most_region_depth);
  // the deepest node holds those that have none: 1000 - 2 * 63 ns
  EXPECT_NEAR(totals.tree.back().all.time_s, 874 * ns, 1e-15);
  EXPECT_NEAR(totals.tree.back().all.own_s, 874 * ns, 1e-15);
  EXPECT_EQ(totals.tree.back().all.visits, 1u);
}

TEST(UserRegions, OnlyWhatIsInTheProgramProperCounts) {
  TraceBuilder builder(1, 0);
  builder.trace().ranks[0].begin_ns = 100;
  builder.trace().ranks[0].end_ns = 400;
  builder.call(0, "MPI_Init", 0, 100);
  builder.call(0, "MPI_Finalize", 400, 500);
  builder.trace().user.regions = {"whole"};
  builder.trace().ranks[0].user.regions = {{50, 500, 0, 0}};
  expect_time(regions_of(builder.matched()).regions[0].all, 1, 300, 300, 0, 300);
}

// Two threads at once: a thread's region holds its own calls only.
TEST(UserRegions, CallsBelongToTheRegionsOfTheirThread) {
  TraceBuilder builder(1, 1000);
  builder.call(0, "MPI_Comm_rank", 100, 300);
  builder.call(0, "MPI_Comm_rank", 400, 450);
  builder.trace().ranks[0].thread = {0, 1};
  builder.trace().user.regions = {"first", "second"};
  builder.trace().ranks[0].user.regions = {{50, 500, 0, 0}, {60, 600, 1, 1}};
  const RegionTotals totals = regions_of(builder.matched());
  expect_time(totals.regions[0].all, 1, 450, 250, 0, 450);
  expect_time(totals.regions[1].all, 1, 540, 490, 0, 540);
  EXPECT_NEAR(totals.outside.all.time_s, 550 * ns, 1e-15);  // of the first thread
}

TEST(UserValues, OfEachRankAndOfAll) {
  TraceBuilder builder(2, 1000);
  builder.trace().user.values = {{"residual", "", false}, {"step", "", true}};
  builder.trace().user.texts = {"half"};
  const auto real = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  builder.trace().ranks[0].user.values = {{10, 0, 0, real(4)}, {30, 0, 0, real(1)}, {50, 0, 0, real(NAN)}};
  builder.trace().ranks[1].user.values = {{20, 0, 0, real(10)}, {40, 1, 0, static_cast<std::uint64_t>(-3)}};
  builder.trace().ranks[1].user.markers = {{700, 0, 0}, {800, 0, 0}};
  const Trace trace = builder.matched();
  const auto values = find_values(trace);
  EXPECT_EQ(values[0][0].count, 3u);
  EXPECT_EQ(values[0][0].no_numbers, 1u);
  EXPECT_EQ(values[0][0].mean, 2.5);
  EXPECT_EQ(values[1][1].last, -3);
  const ValueTotal residual = joined(values[0]);
  EXPECT_EQ(residual.count, 4u);
  EXPECT_EQ(residual.mean, 5);  // (4 + 1 + 10) / 3
  EXPECT_EQ(residual.least, 1);
  EXPECT_EQ(residual.most, 10);
  EXPECT_EQ(residual.first, 4);
  EXPECT_EQ(residual.last, 1);
  const auto markers = find_markers(trace);
  EXPECT_EQ(markers[0].count, 2u);
  EXPECT_EQ(markers[0].first_ns, 700);
  EXPECT_EQ(markers[0].first_rank, 1);
}

}  // namespace
}  // namespace ww

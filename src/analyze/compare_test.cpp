// Expected values: the halves and doubles that the runs were made from.
#include "analyze/compare.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

// A line of ranks: each sends to the next after `compute_ns`; times of receives follow.
Trace line(std::size_t ranks, std::int64_t compute_ns, std::int64_t end_ns) {
  TraceBuilder builder(ranks, end_ns);
  for (std::size_t r = 0; r + 1 < ranks; ++r)
    builder.call(r, "MPI_Send", compute_ns, compute_ns + 10,
                 {message_action(ActionKind::send, static_cast<std::int32_t>(r + 1), 0, 8)});
  for (std::size_t r = 1; r < ranks; ++r)
    builder.call(r, "MPI_Recv", compute_ns + 20, compute_ns + 120,
                 {message_action(ActionKind::recv, static_cast<std::int32_t>(r - 1), 0, 8)});
  return builder.matched();
}

TEST(Compare, SpeedUpAndWhatMoved) {
  const Breakdown a = break_down(line(4, 800, 1000), nullptr), b = break_down(line(4, 300, 500), nullptr);
  const Comparison found = compare(a, b);
  EXPECT_DOUBLE_EQ(*found.speed_up, 2);
  EXPECT_FALSE(found.efficiency);
  // calls take as long in both, so all that moved is 500 ns of computation on each rank
  EXPECT_NEAR(found.a.compute_s - found.b.compute_s, 500e-9, 1e-15);
  EXPECT_NEAR(found.a.service_s, found.b.service_s, 1e-15);
  ASSERT_EQ(found.classes.size(), 3u);  // the last, the first, those between
  EXPECT_EQ(found.classes[0].receives_from, 1u);
  EXPECT_EQ(found.classes[1].sends_to, 1u);
  EXPECT_EQ(found.classes[2].a->ranks, 2u);
  EXPECT_NEAR(found.classes[2].a->compute_s, 890e-9, 1e-15);
  EXPECT_NEAR(found.classes[2].b->compute_s, 390e-9, 1e-15);
}

TEST(Compare, OtherNumbersOfRanksAndCalls) {
  const Breakdown a = break_down(line(2, 800, 1000), nullptr), b = break_down(line(4, 300, 400), nullptr);
  const Comparison found = compare(a, b);
  EXPECT_DOUBLE_EQ(*found.speed_up, 2.5);
  EXPECT_DOUBLE_EQ(*found.efficiency, 1.25);  // twice the ranks
  ASSERT_EQ(found.classes.size(), 3u);
  EXPECT_FALSE(found.classes[2].a);  // two ranks have none between
  EXPECT_EQ(found.classes[2].b->ranks, 2u);
  const auto& receive = found.calls[0];  // 100 on one of two ranks, 300 on four
  EXPECT_EQ(receive.name, "MPI_Recv");
  EXPECT_NEAR(receive.a_each_rank_s, 50e-9, 1e-15);
  EXPECT_NEAR(receive.b_each_rank_s, 75e-9, 1e-15);
}

TEST(Compare, AStudysReportIsTheBreakdown) {
  const Trace trace = line(3, 800, 1000);
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto again = breakdown_from_json(to_json(breakdown, trace));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(to_json(*again, trace)["ranks"], to_json(breakdown, trace)["ranks"]);
  EXPECT_EQ(to_json(*again, trace)["calls"], to_json(breakdown, trace)["calls"]);
  const Comparison found = compare(breakdown, *again);
  EXPECT_DOUBLE_EQ(*found.speed_up, 1);
  EXPECT_FALSE(breakdown_from_json({{"elapsed_s", 1}}));
  EXPECT_FALSE(breakdown_from_json("text"));
}

TEST(Compare, RunsWithoutTimeHaveNoSpeedUp) {
  EXPECT_FALSE(compare(Breakdown{}, Breakdown{}).speed_up);
}

}  // namespace
}  // namespace ww

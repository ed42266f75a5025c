// Expected values are worked out by hand from the times of each case, after the definitions in components.hpp
// (S3, section 3.1).
#include "dilate/components.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

Curve flat(double seconds) {
  return Curve{{Segment{0, 1e9, seconds, 0, {}, {}}}};
}

MachineModel machine_with(double f_s, double a_s, double u_s) {
  MachineModel machine;
  machine.costs.F = flat(f_s);
  machine.costs.A = flat(a_s);
  machine.costs.U = flat(u_s);
  return machine;
}

void expect_sum(const RankComponents& rank) {
  EXPECT_NEAR(rank.components.elapsed_s(), rank.elapsed_s, 1e-15) << "rank " << rank.rank;
}

// A ring's steps: an asynchronous send, its completion, a receive that waits 600 ns of which 500 for its
// sender, and a barrier that waits 100 for the last member.
TEST(Components, OfEachRankSumToItsElapsedTime) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Isend", 600, 620, {message_action(ActionKind::isend, 1, 0, 8, 1)});
  builder.call(0, "MPI_Wait", 650, 660, {message_action(ActionKind::isend_done, 1, 0, 8, 1)});
  builder.call(0, "MPI_Comm_rank", 670, 675);
  builder.call(0, "MPI_Barrier", 900, 940, {collective_action(0, 0)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 0, 8)});
  builder.call(1, "MPI_Barrier", 800, 940, {collective_action(0, 0)});
  const Trace trace = builder.matched();
  const auto machine = machine_with(15e-9, 10e-9, 20e-9);
  const Breakdown breakdown = break_down(trace, &machine);
  const auto ranks = components_of(trace, breakdown, 1);
  ASSERT_EQ(ranks.size(), 2u);
  for (const RankComponents& rank : ranks) expect_sum(rank);
  EXPECT_NEAR(ranks[0].components.send_s, 20e-9, 1e-15);
  EXPECT_NEAR(ranks[0].components.user_s, (1000 - 20 - 10 - 5 - 40) * 1e-9, 1e-15);
  EXPECT_NEAR(ranks[0].components.algorithmic_s, 0, 1e-15);
  EXPECT_NEAR(ranks[1].components.user_s, (1000 - 600 - 140) * 1e-9, 1e-15);
  EXPECT_NEAR(ranks[1].components.algorithmic_s, (500 + 100) * 1e-9, 1e-15);
  EXPECT_NEAR(ranks[1].components.send_s, 0, 1e-15);
  // A + U of the receive; the barrier's 40 ns after the last member are software by the model: one round of
  // F, A, U
  EXPECT_NEAR(ranks[1].components.communication_s, (30 + 40) * 1e-9, 1e-15);
  // and the 10 ns of rank 0's MPI_Wait, for whose end of a send the model has no software
  EXPECT_NEAR(mean_of(ranks).receive_wait_s, (570 + 100 + 10) / 2.0 * 1e-9, 1e-15);

  const auto normalised = components_of(trace, breakdown, 4);
  EXPECT_NEAR(normalised[1].components.receive_wait_s, 670e-9 / 4, 1e-15);
  EXPECT_NEAR(normalised[1].elapsed_s, 250e-9, 1e-15);
  expect_sum(normalised[1]);
}

// What blocks in a send is waiting like any other; only the dispatch is S3's send time. A call that also
// receives is no send.
TEST(Components, ABlockedSendIsWaiting) {
  TraceBuilder builder(2, 2000);
  builder.call(0, "MPI_Ssend", 100, 900,
               {message_action(ActionKind::send, 1, 0, 1 << 20, 0, action_synchronous)});
  builder.call(0, "MPI_Sendrecv", 1000, 1200,
               {message_action(ActionKind::send, 1, 1, 8), message_action(ActionKind::recv, 1, 1, 8)});
  builder.call(1, "MPI_Recv", 700, 900, {message_action(ActionKind::recv, 0, 0, 1 << 20)});
  builder.call(1, "MPI_Sendrecv", 1000, 1200,
               {message_action(ActionKind::send, 0, 1, 8), message_action(ActionKind::recv, 0, 1, 8)});
  const Trace trace = builder.matched();
  const auto machine = machine_with(15e-9, 10e-9, 20e-9);
  const auto ranks = components_of(trace, break_down(trace, &machine), 1);
  for (const RankComponents& rank : ranks) expect_sum(rank);
  EXPECT_NEAR(ranks[0].components.send_s, 15e-9, 1e-15);
  EXPECT_NEAR(ranks[0].components.algorithmic_s, 600e-9, 1e-15);  // 100 to 700, when the receive was posted
  EXPECT_NEAR(ranks[0].components.communication_s, (15 + 10 + 20) * 1e-9, 1e-15);
}

// Held back at the receiver: D times its own software and D - 1 times the sender's (S3 counts both as
// computation).
TEST(Components, SoftwareThatWasKeptIsNoWaiting) {
  MachineModel machine = machine_with(15e-9, 10e-9, 20e-9);
  machine.costs.U = Curve{{Segment{0, 100, 20e-9, 0, {}, {}}, Segment{100, 1e9, 10e-9, 1e-9, {}, {}}}};
  const MachineModel kept = with_kept_software(machine, 4);
  EXPECT_NEAR(kept.costs.U.at(8), 4 * 20e-9 + 3 * 15e-9, 1e-15);
  EXPECT_NEAR(kept.costs.U.at(1000), 4 * (10e-9 + 1000e-9) + 3 * 15e-9, 1e-15);
  EXPECT_NEAR(kept.costs.A.at(8), 40e-9, 1e-15);
  EXPECT_NEAR(kept.costs.F.at(8), 15e-9, 1e-15);
  EXPECT_TRUE(with_kept_software(MachineModel{}, 4).costs.U.empty());
}

TEST(Components, SharesAreOfTheElapsedTime) {
  const auto shares = shares_json({2, 1, 6, 1, 3});
  EXPECT_DOUBLE_EQ(shares.at("user_percent").get<double>(), 20);
  EXPECT_DOUBLE_EQ(shares.at("receive_wait_percent").get<double>(), 60);
  EXPECT_DOUBLE_EQ(shares.at("receive_wait_algorithmic_percent").get<double>(), 30);
}

}  // namespace
}  // namespace ww

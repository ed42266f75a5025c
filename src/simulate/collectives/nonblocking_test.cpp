// Non-blocking collectives: closed forms on the linear machine (one-way time T(n) = latency + n * per_byte, no
// software). Which algorithm a library has for them is tested in patterns.
#include <gtest/gtest.h>

#include "simulate/free/free.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/program.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

constexpr double ps = 1e-12;

Simulated played(TraceBuilder& builder, const MachineModel& model) {
  auto simulated = replay(builder.trace(), model, {});
  EXPECT_TRUE(simulated) << (simulated ? "" : to_string(simulated.error()));
  return simulated ? *simulated : Simulated{};
}

// All ranks begin one, compute so long each, and wait for it.
TraceBuilder overlapped(CollectiveOp op, std::uint64_t bytes, const std::vector<double>& compute_s) {
  auto builder = TraceBuilder::spread(static_cast<int>(compute_s.size()));
  const auto number = builder.begin_collective(op, 0, bytes);
  for (std::size_t i = 0; i < compute_s.size(); ++i) {
    builder.compute(static_cast<int>(i), compute_s[i]);
    builder.complete(static_cast<int>(i), number);
  }
  return builder;
}

// Two members add up along a tree and get the sum back: 2 T(64). The first message is there when a member comes
// back from computing, the second is sent then.
TEST(Nonblocking, AllreduceOverlapsItsFirstMessage) {
  const LinearMachine machine;
  auto at_once = overlapped(CollectiveOp::allreduce, 64, {0, 0});
  EXPECT_NEAR(played(at_once, machine.model()).elapsed_s, 2 * machine.one_way_s(64), ps);
  auto later = overlapped(CollectiveOp::allreduce, 64, {0.5, 0.2});
  const Simulated simulated = played(later, machine.model());
  EXPECT_NEAR(simulated.elapsed_s, 0.5 + machine.one_way_s(64), ps);
  EXPECT_NEAR(simulated.ranks[1].elapsed_s, 0.5 + machine.one_way_s(64), ps);
}

// One message each way, both of which are there; a wire ten times slower than the computation is long is not.
TEST(Nonblocking, AlltoallOfEagerMessagesHidesBehindComputation) {
  LinearMachine machine;
  auto hidden = overlapped(CollectiveOp::alltoall, 2 * 1000, {0.5, 0.5});
  EXPECT_NEAR(played(hidden, machine.model()).elapsed_s, 0.5, ps);
  machine.per_byte_s = 1e-3;
  EXPECT_NEAR(played(hidden, machine.model()).elapsed_s, machine.one_way_s(1000), ps);
}

// Above the eager threshold nothing moves before both are inside the library again: request, reply and data, each
// of which takes the latency.
TEST(Nonblocking, LargeMessagesMoveWhenBothAreInsideAgain) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 500;
  MachineModel model = machine.model();
  model.links[0].one_way.segments[0].base_s = 3 * machine.latency_s;
  auto builder = overlapped(CollectiveOp::alltoall, 2 * 1000, {0.5, 0.1});
  EXPECT_NEAR(played(builder, model).elapsed_s, 0.5 + 3 * machine.latency_s + 1000 * machine.per_byte_s, ps);
  // Where any call comes in between, they are then.
  auto asked = TraceBuilder::spread(2);
  const auto number = asked.begin_collective(CollectiveOp::alltoall, -1, 2 * 1000);
  for (const int rank : {0, 1}) {
    asked.compute(rank, 0.1);
    asked.other(rank, 0);
    asked.compute(rank, 0.4);
    asked.complete(rank, number);
  }
  EXPECT_NEAR(played(asked, model).elapsed_s, 0.5, 1e-6) << "the call in between lasts 1 us at most";
}

TEST(Nonblocking, BeginsWhenTheLastMemberHas) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  builder.compute(1, 7e-3);
  const auto number = builder.begin_collective(CollectiveOp::barrier, -1, 0);
  for (const int rank : {0, 1}) builder.complete(rank, number);
  const Simulated simulated = played(builder, machine.model());
  EXPECT_NEAR(simulated.ranks[0].elapsed_s, 7e-3 + machine.one_way_s(0), ps);
  EXPECT_NEAR(simulated.ranks[0].blocked_algorithmic_s, 7e-3, ps);
}

// MPI lets members wait for two of them in any order, and send to each other in between.
TEST(Nonblocking, AreWaitedForInAnyOrder) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 10;
  auto builder = TraceBuilder::spread(2);
  const auto one = builder.begin_collective(CollectiveOp::allreduce, -1, 64);
  const auto other = builder.begin_collective(CollectiveOp::allreduce, -1, 64);
  builder.send(0, 1, 1000);
  builder.complete(0, one);
  builder.complete(0, other);
  builder.complete(1, other);
  builder.complete(1, one);
  builder.recv(1, 0, 1000);
  auto simulated = replay(builder.trace(), machine.model(), {});
  ASSERT_TRUE(simulated) << to_string(simulated.error());
  EXPECT_GT(simulated->elapsed_s, machine.one_way_s(1000));
}

// Both evaluators, and the algorithm in a program that is played many times is kept once.
TEST(Nonblocking, TakesTheSameWithoutContention) {
  const LinearMachine machine;
  for (const double compute_s : {0.0, 0.3}) {
    auto builder = TraceBuilder::spread(4);
    for (int i = 0; i < 3; ++i) {
      const auto number = builder.begin_collective(CollectiveOp::allreduce, -1, 64);
      for (int rank = 0; rank < 4; ++rank) {
        builder.compute(rank, compute_s * rank);
        builder.complete(rank, number);
      }
    }
    const auto program = compile(builder.trace());
    ASSERT_TRUE(program);
    EXPECT_EQ(program->shapes.size(), 1u);
    const MachineModel model = machine.model();
    const auto costs = ReplayCosts::make(*program, model, 0);
    ASSERT_TRUE(costs);
    const auto free = replay_free(*program, *costs, {});
    ASSERT_TRUE(free) << to_string(free.error());
    // 2 log2(4) messages of a vector; of which the first is there by itself
    const double each_s =
        compute_s > 0 ? 3 * compute_s + 3 * machine.one_way_s(64) : 4 * machine.one_way_s(64);
    EXPECT_NEAR(static_cast<double>(free->finish) / picoseconds_per_s, 3 * each_s, 1e-9);
    EXPECT_NEAR(played(builder, model).elapsed_s, 3 * each_s, 1e-9);
  }
}

}  // namespace
}  // namespace ww::simulate

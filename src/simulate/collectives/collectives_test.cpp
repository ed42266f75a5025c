// Closed forms of the algorithms on the linear machine (one-way time T(n) = latency + n * per_byte, no
// software). Which algorithm a library chooses is tested in patterns.
#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

constexpr double ps = 1e-12;

double elapsed_s(TraceBuilder& builder, const LinearMachine& machine) {
  auto simulated = replay(builder.trace(), machine.model(), {});
  EXPECT_TRUE(simulated) << (simulated ? "" : to_string(simulated.error()));
  return simulated ? simulated->elapsed_s : -1;
}

// log2(P) rounds of empty messages for 2 and 16 members; from 4 to 7 the linear one: reports arrive together
// (empty messages do not serialise), releases leave together: 2 T(0).
TEST(Collectives, BarrierTakesItsRounds) {
  const LinearMachine machine;
  for (const auto& [members, rounds] : {std::pair{2, 1}, {5, 2}, {16, 4}, {64, 6}}) {
    auto builder = TraceBuilder::spread(members);
    builder.collective(CollectiveOp::barrier, 0);
    EXPECT_NEAR(elapsed_s(builder, machine), rounds * machine.one_way_s(0), ps) << members;
  }
}

// Three members: 2 reports to 0 while 1 sends to 0; at T(0) both are there and 0 releases 2 (there at 2 T(0))
// by a synchronous send, whose acknowledgement takes one latency back.
TEST(Collectives, BarrierOfThreeReleasesTheExtraMember) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(3);
  builder.collective(CollectiveOp::barrier, 0);
  auto simulated = replay(builder.trace(), machine.model(), {});
  ASSERT_TRUE(simulated);
  EXPECT_NEAR(simulated->ranks[2].elapsed_s, 2 * machine.one_way_s(0), ps);
  EXPECT_NEAR(simulated->ranks[0].elapsed_s, 2 * machine.one_way_s(0) + machine.latency_s, ps);
}

// The skew into a collective is kept: the barrier of two ends T(0) after the later one has come.
TEST(Collectives, LateMemberDelaysTheOthersAsAlgorithm) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  builder.compute(1, 7e-3);
  builder.collective(CollectiveOp::barrier, 0);
  auto simulated = replay(builder.trace(), machine.model(), {});
  ASSERT_TRUE(simulated);
  EXPECT_NEAR(simulated->ranks[0].elapsed_s, 7e-3 + machine.one_way_s(0), ps);
  EXPECT_NEAR(simulated->ranks[0].blocked_algorithmic_s, 7e-3, ps);
  EXPECT_NEAR(simulated->ranks[0].blocked_service_s, machine.one_way_s(0), ps);
}

// Allreduce of 64 bytes: recursive doubling, log2(P) exchanges of everything at P = 2, 4, 8.
TEST(Collectives, SmallAllreduceIsRecursiveDoubling) {
  const LinearMachine machine;
  for (const auto& [members, rounds] : {std::pair{2, 1}, {4, 2}, {8, 3}}) {
    auto builder = TraceBuilder::spread(members);
    builder.collective(CollectiveOp::allreduce, 64);
    EXPECT_NEAR(elapsed_s(builder, machine), rounds * machine.one_way_s(64), ps) << members;
  }
}

// 64 KiB over 4 members by Rabenseifner: halves 32 K, 16 K, then 16 K, 32 K.
TEST(Collectives, LargeAllreduceIsRabenseifner) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(4);
  builder.collective(CollectiveOp::allreduce, 65536);
  EXPECT_NEAR(elapsed_s(builder, machine), 2 * machine.one_way_s(32768) + 2 * machine.one_way_s(16384), ps);
}

// 6000 bytes over 3 members: a ring of 2 * 2 rounds with blocks of 2000.
TEST(Collectives, RingAllreduceTakesTwiceTheMembersLessOne) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(3);
  builder.collective(CollectiveOp::allreduce, 6000);
  EXPECT_NEAR(elapsed_s(builder, machine), 4 * machine.one_way_s(2000), ps);
}

// A model that tells the arithmetic: of each exchange of a recursive doubling the receiver adds 64 bytes (1
// us and 1 ns a byte); of Rabenseifner's only the halves on the way there, 32 K and 16 K; a broadcast adds
// nothing.
TEST(Collectives, ReductionsTakeTheirArithmetic) {
  const LinearMachine machine;
  MachineModel model = machine.model();
  model.reduction.segments = {{0, 1e9, 1e-6, 1e-9, {}, {}}};
  const auto with = [&](CollectiveOp op, int members, std::uint64_t bytes, const MachineModel& on) {
    auto builder = TraceBuilder::spread(members);
    builder.collective(op, bytes);
    const auto simulated = replay(builder.trace(), on, {});
    EXPECT_TRUE(simulated);
    return simulated ? simulated->elapsed_s : -1;
  };
  EXPECT_NEAR(with(CollectiveOp::allreduce, 8, 64, model), 3 * (machine.one_way_s(64) + 1.064e-6), ps);
  EXPECT_NEAR(with(CollectiveOp::allreduce, 4, 65536, model),
              2 * machine.one_way_s(32768) + 2 * machine.one_way_s(16384) + 2e-6 + 49152e-9, ps);
  EXPECT_NEAR(with(CollectiveOp::bcast, 2, 64, model), machine.one_way_s(64), ps);
  const MachineModel quick = apply(model, *parse_what_if("compute=x4"));
  EXPECT_NEAR(with(CollectiveOp::allreduce, 2, 64, quick), machine.one_way_s(64) + 0.266e-6, ps);
}

// Two members, 1 MiB a pair: both directions at once at efficiency 0.7.
TEST(Collectives, AlltoallOfTwoIsAnExchange) {
  LinearMachine machine;
  machine.latency_s = 0;
  machine.two_way_efficiency = 0.7;
  auto builder = TraceBuilder::spread(2);
  builder.collective(CollectiveOp::alltoall, 2 << 20);
  EXPECT_NEAR(elapsed_s(builder, machine), 1048576 * machine.per_byte_s / 0.7, 1e-9);
}

// Three members exchange pairwise: 0 sends 1 nothing and 2 everything, the others nothing. Round 1 (to the
// next member) is of empty messages, round 2 (to the one after) has the large one.
TEST(Collectives, AlltoallvSendsWhatWasRecordedToEach) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(3);
  builder.alltoallv({{0, 0, 3 << 20}, {0, 0, 0}, {0, 0, 0}});
  EXPECT_NEAR(elapsed_s(builder, machine), machine.one_way_s(0) + machine.one_way_s(3 << 20), ps);
}

// Of 5 members the linear algorithm posts only what there is to send: 0 and 3 wait for nobody.
TEST(Collectives, AlltoallvLeavesEmptyMessagesOut) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(5);
  builder.compute(4, 1);
  builder.alltoallv({{0, 8, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 8, 0}, {0, 0, 64, 0, 0}});
  auto simulated = replay(builder.trace(), machine.model(), {});
  ASSERT_TRUE(simulated);
  EXPECT_NEAR(simulated->ranks[1].elapsed_s, machine.one_way_s(8), ps);
  EXPECT_NEAR(simulated->ranks[3].elapsed_s, 0, ps);
  EXPECT_NEAR(simulated->ranks[2].elapsed_s, 1 + machine.one_way_s(64), ps);
}

// Every member gets P - 1 blocks over its one receiving port, and no algorithm can be quicker than that.
TEST(Collectives, EveryOperationReplaysAtEverySize) {
  for (int members = 2; members <= 17; ++members)
    for (const std::uint64_t bytes : {0u, 8u, 100u, 5000u, 40000u, 300000u, 2000000u})
      for (int op = 0; op < static_cast<int>(CollectiveOp::communicator); ++op) {
        auto builder = TraceBuilder::spread(members);
        const auto kind = static_cast<CollectiveOp>(op);
        const std::uint64_t n = static_cast<std::uint64_t>(members);
        const bool all_pairs = kind == CollectiveOp::alltoall || kind == CollectiveOp::alltoallv ||
                               kind == CollectiveOp::alltoallw;
        const std::vector<std::uint64_t> each(n, all_pairs ? bytes * n : bytes);
        const bool gathers = kind == CollectiveOp::allgather || kind == CollectiveOp::allgatherv;
        builder.collective(kind, members / 2, each,
                           gathers ? std::vector<std::uint64_t>(n, bytes * n) : each);
        LinearMachine machine;
        machine.eager_threshold_bytes = 4096;
        auto simulated = replay(builder.trace(), machine.model(), {});
        ASSERT_TRUE(simulated) << to_string(kind) << " " << members << ": " << to_string(simulated.error());
        if (all_pairs || gathers) {
          EXPECT_GE(simulated->elapsed_s, static_cast<double>(bytes * (n - 1)) * machine.per_byte_s - 1e-9)
              << to_string(kind) << " " << members << " " << bytes;
        }
      }
}

}  // namespace
}  // namespace ww::simulate

// MPICH's collectives: closed forms on the linear machine (T(n) = latency + n * per_byte, no software). What
// MPICH chooses, and what its algorithms send, is tested in patterns.
#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/program.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

constexpr double ps = 1e-12;

TraceBuilder recorded_by_mpich(std::vector<std::string> hosts) {
  TraceBuilder builder(std::move(hosts));
  builder.trace().run.mpi = "mpich";
  return builder;
}
TraceBuilder spread(int members) {
  std::vector<std::string> hosts;
  for (int i = 0; i < members; ++i) hosts.push_back("h" + std::to_string(i));
  return recorded_by_mpich(hosts);
}
double elapsed_s(TraceBuilder& builder, const LinearMachine& machine) {
  auto simulated = replay(builder.trace(), machine.model(), {});
  EXPECT_TRUE(simulated) << (simulated ? "" : to_string(simulated.error()));
  return simulated ? simulated->elapsed_s : -1;
}

TEST(Mpich, TakesItsRounds) {
  const LinearMachine machine;
  for (const auto& [members, rounds] : {std::pair{2, 1}, {4, 2}, {8, 3}, {16, 4}}) {
    auto barrier = spread(members), bcast = spread(members), reduce = spread(members),
         allreduce = spread(members);
    barrier.collective(CollectiveOp::barrier, 0);
    bcast.collective(CollectiveOp::bcast, 0, std::vector<std::uint64_t>(static_cast<std::size_t>(members), 8),
                     std::vector<std::uint64_t>(static_cast<std::size_t>(members), 8));
    reduce.collective(CollectiveOp::reduce, 0,
                      std::vector<std::uint64_t>(static_cast<std::size_t>(members), 8),
                      std::vector<std::uint64_t>(static_cast<std::size_t>(members), 8));
    allreduce.collective(CollectiveOp::allreduce, 8);
    EXPECT_NEAR(elapsed_s(barrier, machine), rounds * machine.one_way_s(0), ps);
    EXPECT_NEAR(elapsed_s(bcast, machine), rounds * machine.one_way_s(8), ps);
    EXPECT_NEAR(elapsed_s(reduce, machine), rounds * machine.one_way_s(8), ps);
    EXPECT_NEAR(elapsed_s(allreduce, machine), rounds * machine.one_way_s(8), ps);
  }
  // five members: dissemination in three rounds, where Open MPI has a linear one in two
  auto five = spread(5);
  five.collective(CollectiveOp::barrier, 0);
  EXPECT_NEAR(elapsed_s(five, machine), 3 * machine.one_way_s(0), ps);
}

TEST(Mpich, LongVectorsTakeTheirClosedForms) {
  const LinearMachine machine;
  auto allreduce = spread(4);
  allreduce.collective(CollectiveOp::allreduce, 65536);
  EXPECT_NEAR(elapsed_s(allreduce, machine), 2 * machine.one_way_s(32768) + 2 * machine.one_way_s(16384), ps);
  auto alltoall = spread(4);
  alltoall.collective(CollectiveOp::alltoall, 4 * 40000);
  EXPECT_NEAR(elapsed_s(alltoall, machine), 3 * machine.one_way_s(40000), ps);
}

// Two hosts of two: up within each host, across, down within: only two messages go between the hosts.
TEST(Mpich, WorksByLevelsWhereRanksShareHosts) {
  auto builder = recorded_by_mpich({"a", "a", "b", "b"});
  builder.collective(CollectiveOp::allreduce, 1000);
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  std::size_t between = 0;
  for (const ProgramMessage& message : program->messages)
    between += message.source / 2 != message.destination / 2;
  EXPECT_EQ(program->messages.size(), 8u);
  EXPECT_EQ(between, 4u) << "halves there and back (two elements or more for two members)";
  EXPECT_TRUE(program->algorithms.begin()->first.find("shared memory within") != std::string::npos)
      << program->algorithms.begin()->first;
}

}  // namespace
}  // namespace ww::simulate

// MPICH's collectives: closed forms on the linear machine (T(n) = latency + n * per_byte, no software),
// numbers of messages and bytes as published (Thakur, Rabenseifner, Gropp 2005; Chan, Heimlich, Purkayastha,
// van de Geijn 2007), and the decisions at the switch points of MPICH 4.0.2's maint/tuning/coll.
#include "simulate/collectives/mpich.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "simulate/simulate.hpp"
#include "simulate/trace_fixture.hpp"

namespace ww::simulate {
namespace {

constexpr double ps = 1e-12;
using A = Algorithm;

TraceBuilder recorded_by_mpich(std::vector<std::string> hosts) {
  TraceBuilder builder(std::move(hosts));
  builder.trace().run = {{"mpi", "mpich"}};
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

struct Sent {
  std::size_t messages = 0;
  std::uint64_t bytes = 0;
};
Sent sent_by(void (*write)(Schedule&), int members) {
  Program program;
  std::vector<std::int32_t> world;
  for (int i = 0; i < members; ++i) world.push_back(i);
  Schedule schedule(program, world);
  write(schedule);
  Sent out{program.messages.size(), 0};
  for (const ProgramMessage& message : program.messages) out.bytes += message.bytes;
  return out;
}

constexpr std::uint64_t block = 1024;
std::uint64_t whole_of(const Schedule& s) {
  return block * static_cast<std::uint64_t>(s.size());
}

// A vector of P KiB, blocks of 1 KiB: trees have P - 1 messages; scattering a vector over P = 2^k moves
// k P / 2 blocks, gathering it everywhere P (P - 1), reducing and scattering it by halving P (P - 1).
TEST(Mpich, SendsAsManyBytesAsPublished) {
  for (const int members : {2, 4, 8, 16, 32}) {
    const auto n = static_cast<std::size_t>(members);
    const std::uint64_t p = n, log = static_cast<std::uint64_t>(std::bit_width(n) - 1);
    const Sent bcast = sent_by([](Schedule& s) { bcast_binomial_blocking(s, 1, 100); }, members);
    EXPECT_EQ(bcast.messages, n - 1);
    EXPECT_EQ(bcast.bytes, 100 * (p - 1));
    const Sent reduce = sent_by([](Schedule& s) { reduce_binomial_blocking(s, 1, 100); }, members);
    EXPECT_EQ(reduce.messages, n - 1);
    const Sent doubling =
        sent_by([](Schedule& s) { bcast_scatter_doubling_allgather(s, 1, whole_of(s)); }, members);
    EXPECT_EQ(doubling.messages, n - 1 + n * log);
    EXPECT_EQ(doubling.bytes, block * (log * p / 2 + p * (p - 1)));
    const Sent ring = sent_by([](Schedule& s) { bcast_scatter_ring_allgather(s, 1, whole_of(s)); }, members);
    EXPECT_EQ(ring.messages, n - 1 + n * (n - 1));
    EXPECT_EQ(ring.bytes, block * (log * p / 2 + p * (p - 1)));
    const Sent allreduce =
        sent_by([](Schedule& s) { allreduce_reduce_scatter_allgather(s, whole_of(s)); }, members);
    EXPECT_EQ(allreduce.messages, 2 * n * log);
    EXPECT_EQ(allreduce.bytes, 2 * block * p * (p - 1));
    const Sent rooted = sent_by([](Schedule& s) { reduce_scatter_gather(s, 1, whole_of(s)); }, members);
    EXPECT_EQ(rooted.messages, n * log + n - 1);
    EXPECT_EQ(rooted.bytes, block * (p * (p - 1) + log * p / 2));
    const Sent pairwise = sent_by(
        [](Schedule& s) { reduce_scatter_pairwise(s, Sizes(static_cast<std::size_t>(s.size()), block)); },
        members);
    EXPECT_EQ(pairwise.messages, n * (n - 1));
    const Sent scan = sent_by([](Schedule& s) { scan_recursive_doubling(s, 8); }, members);
    EXPECT_EQ(scan.messages, n * log);
  }
  for (const int members : {3, 5, 6, 13}) {
    const auto n = static_cast<std::size_t>(members);
    const auto pof2 = std::bit_floor(n), extra = n - pof2;
    const auto log = static_cast<std::size_t>(std::bit_width(pof2) - 1);
    const Sent allreduce = sent_by([](Schedule& s) { allreduce_reduce_scatter_allgather(s, 6000); }, members);
    EXPECT_EQ(allreduce.messages, 2 * pof2 * log + 2 * extra);
    for (const bool replaced :
         {false, true}) {  // a root that is odd among the extra ones gets its part first
      const Sent rooted = replaced ? sent_by([](Schedule& s) { reduce_scatter_gather(s, 1, 6000); }, members)
                                   : sent_by([](Schedule& s) { reduce_scatter_gather(s, 0, 6000); }, members);
      EXPECT_EQ(rooted.messages, extra + pof2 * log + pof2 - 1 + (replaced ? 1 : 0));
    }
  }
}

// An exchange of 40 members goes in two portions: who comes late to the second waits only there.
TEST(Mpich, ScatteredExchangesGoByThirtyTwo) {
  const Sent sent = sent_by([](Schedule& s) { alltoall_scattered(s, Matrix(40, Sizes(40, 8))); }, 40);
  EXPECT_EQ(sent.messages, 40u * 39);
  Program program;
  std::vector<std::int32_t> world(40);
  for (int i = 0; i < 40; ++i) world[static_cast<std::size_t>(i)] = i;
  Schedule schedule(program, world);
  alltoall_scattered(schedule, Matrix(40, Sizes(40, 8)));
  EXPECT_EQ(schedule.of(7).group_first.size() - 1, 2u);
  EXPECT_EQ(schedule.of(7).group_first[1], 2u * 31);
}

TEST(Mpich, DecidesAtTheSwitchPointsOf402) {
  const auto chosen = [](CollectiveOp op, int members, std::uint64_t bytes) {
    return mpich_algorithm(op, members, bytes, elements(bytes));
  };
  EXPECT_EQ(chosen(CollectiveOp::bcast, 7, 1 << 20), A::binomial_tree);
  EXPECT_EQ(chosen(CollectiveOp::bcast, 8, 12288), A::binomial_tree);
  EXPECT_EQ(chosen(CollectiveOp::bcast, 8, 12289), A::scatter_allgather);
  EXPECT_EQ(chosen(CollectiveOp::bcast, 8, 524288), A::scatter_allgather);
  EXPECT_EQ(chosen(CollectiveOp::bcast, 8, 524289), A::scatter_ring_allgather);
  EXPECT_EQ(chosen(CollectiveOp::bcast, 9, 12289), A::scatter_ring_allgather);
  EXPECT_EQ(chosen(CollectiveOp::reduce, 4, 2048), A::binomial_tree);
  EXPECT_EQ(chosen(CollectiveOp::reduce, 4, 2056), A::reduce_scatter_gather);
  EXPECT_EQ(chosen(CollectiveOp::reduce, 1024, 4096), A::binomial_tree) << "fewer elements than members";
  EXPECT_EQ(chosen(CollectiveOp::allreduce, 4, 8), A::recursive_doubling);
  EXPECT_EQ(chosen(CollectiveOp::allreduce, 4, 24), A::recursive_doubling) << "three elements";
  EXPECT_EQ(chosen(CollectiveOp::allreduce, 4, 32), A::rabenseifner);
  EXPECT_EQ(chosen(CollectiveOp::allgather, 8, 524287), A::recursive_doubling);
  EXPECT_EQ(chosen(CollectiveOp::allgather, 8, 524288), A::ring);
  EXPECT_EQ(chosen(CollectiveOp::allgather, 6, 81919), A::bruck);
  EXPECT_EQ(chosen(CollectiveOp::allgather, 6, 81920), A::ring);
  EXPECT_EQ(chosen(CollectiveOp::alltoall, 7, 32768), A::scattered);
  EXPECT_EQ(chosen(CollectiveOp::alltoall, 7, 32769), A::pairwise);
  EXPECT_EQ(chosen(CollectiveOp::alltoall, 8, 256), A::bruck);
  EXPECT_EQ(chosen(CollectiveOp::alltoall, 8, 257), A::scattered);
  EXPECT_EQ(chosen(CollectiveOp::reduce_scatter, 8, 524287), A::recursive_halving);
  EXPECT_EQ(chosen(CollectiveOp::reduce_scatter_block, 8, 524288), A::pairwise);
  EXPECT_EQ(chosen(CollectiveOp::communicator, 8, 8), A::unknown);

  EXPECT_EQ(mpich_levels(CollectiveOp::bcast, 8, 8, 8), Levels::flat) << "nobody shares a host";
  EXPECT_EQ(mpich_levels(CollectiveOp::bcast, 4, 2, 1 << 20), Levels::alpha);
  EXPECT_EQ(mpich_levels(CollectiveOp::bcast, 8, 2, 12287), Levels::alpha);
  EXPECT_EQ(mpich_levels(CollectiveOp::bcast, 8, 2, 12288), Levels::beta);
  EXPECT_EQ(mpich_levels(CollectiveOp::bcast, 8, 2, 524288), Levels::flat);
  EXPECT_EQ(mpich_levels(CollectiveOp::bcast, 9, 2, 12288), Levels::flat);
  EXPECT_EQ(mpich_levels(CollectiveOp::reduce, 8, 2, 2048), Levels::beta);
  EXPECT_EQ(mpich_levels(CollectiveOp::reduce, 8, 2, 2049), Levels::alpha);
  EXPECT_EQ(mpich_levels(CollectiveOp::allreduce, 8, 1, 8), Levels::shared_memory);
  EXPECT_EQ(mpich_levels(CollectiveOp::allreduce, 8, 2, 8), Levels::alpha);
  EXPECT_EQ(mpich_levels(CollectiveOp::alltoall, 8, 2, 8), Levels::flat);
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

// That the recorder's virtual clock and simulation play a collective alike. Both have the algorithms and their
// choice from src/patterns, and the cost of a message from machine/message_cost.hpp; how they play the messages
// is each one's own: clocks that are passed from rank to rank here, events in the order of time there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "dilate/told_costs.hpp"
#include "interpose/core/collective_play.hpp"
#include "interpose/core/virtual_ports.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww {
namespace {

using patterns::Operation;

// 60 us + 10 ns a byte, of which 5 us are software on either side; eager up to 64 KiB. The bytes pass the ports
// of hosts one after the other, or of as many messages as there are at once.
MachineModel machine(bool ports) {
  MachineModel out = simulate::LinearMachine{60e-6, 10e-9, 5e-6, 5e-6, 1, 65536}.model();
  if (!ports) out.links[0].wire->seconds_per_byte = 0;
  out.links[0].latency_s = 50e-6;  // of a request, which has no software
  Link within = out.links[0];
  within.between = Place::intra;
  within.wire.reset();
  out.links.push_back(within);
  return out;
}

struct Case {
  CollectiveRules rules;
  CollectiveOp op;
  int members, per_host;
  std::uint64_t bytes;  // of the vector, or of one block
  bool late;            // each enters some time after the one before it
  bool ports;
};
std::string name_of(const Case& c) {
  return std::string(c.rules == CollectiveRules::mpich_4 ? "MPICH " : "Open MPI ") + to_string(c.op) +
         " of " + std::to_string(c.bytes) + " bytes, " + std::to_string(c.members) + " members, " +
         std::to_string(c.per_host) + " a host" + (c.late ? ", one after the other" : "");
}

constexpr double apart_s = 23e-6;
double enters_s(const Case& c, int rank) {
  return c.late ? apart_s * rank : 0;
}
int root_of(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::bcast:
    case CollectiveOp::reduce:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return 1;
    default:
      return -1;
  }
}
// What the recorder has of it (interpose/mpi/collective_calls.hpp).
interpose::Entered entered(const Case& c, int rank) {
  const bool root = rank == root_of(c.op);
  const std::uint64_t one = c.bytes, all = one * static_cast<std::uint64_t>(c.members);
  const double at_s = enters_s(c, rank);
  switch (c.op) {
    case CollectiveOp::barrier:
      return {at_s, 0, 0};
    case CollectiveOp::bcast:
      return root ? interpose::Entered{at_s, one, 0} : interpose::Entered{at_s, 0, one};
    case CollectiveOp::reduce:
      return {at_s, one, root ? one : 0};
    case CollectiveOp::gather:
      return {at_s, one, root ? all : 0};
    case CollectiveOp::scatter:
      return {at_s, root ? all : 0, one};
    case CollectiveOp::allgather:
      return {at_s, one, all};
    case CollectiveOp::alltoall:
      return {at_s, all, all};
    case CollectiveOp::reduce_scatter:
      return {at_s, all, one};
    default:
      return {at_s, one, one};
  }
}

std::vector<double> simulated(const Case& c) {
  std::vector<std::string> hosts;
  for (int rank = 0; rank < c.members; ++rank) hosts.push_back("host" + std::to_string(rank / c.per_host));
  simulate::TraceBuilder builder(hosts);
  builder.trace().run.mpi = c.rules == CollectiveRules::mpich_4 ? "mpich" : "openmpi";
  std::vector<std::uint64_t> given, got;
  for (int rank = 0; rank < c.members; ++rank) {
    const interpose::Entered at = entered(c, rank);
    given.push_back(at.given);
    got.push_back(at.got);
    builder.begin(rank, at.at_s);
  }
  builder.collective(c.op, root_of(c.op), given, got);
  SimulateOptions options;
  options.rules = {false, false};  // replies pass data: what else is decided within microseconds
  const auto result = replay(builder.trace(), machine(c.ports), options);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  std::vector<double> out;
  for (int rank = 0; result && rank < c.members; ++rank)
    out.push_back(enters_s(c, rank) + result->ranks[static_cast<std::size_t>(rank)].elapsed_s);
  return out;
}

struct Costs {
  interpose::MessageCosts inter, intra;
  int per_host;
};
std::vector<double> played(const Case& c) {
  Costs costs;
  costs.inter.read(message_costs(machine(c.ports), Place::inter, {}).c_str());
  costs.intra.read(message_costs(machine(c.ports), Place::intra, {}).c_str());
  costs.per_host = c.per_host;
  std::vector<char> memory(interpose::ports_memory(c.members, c.members));
  interpose::start_ports(memory.data(), c.members, c.members);
  std::vector<interpose::Entered> members;
  for (int rank = 0; rank < c.members; ++rank) members.push_back(entered(c, rank));
  interpose::Cast cast{
      c.members,
      &costs,
      [](const void* of, int from, int to) -> const interpose::MessageCosts& {
        const Costs& known = *static_cast<const Costs*>(of);
        return from / known.per_host == to / known.per_host ? known.intra : known.inter;
      },
      [](const void* of, int rank) { return rank / static_cast<const Costs*>(of)->per_host; },
      c.rules,
      true};
  cast.replies = interpose::Replies::at_once;  // as in the replay
  std::vector<double> done(members.size());
  static interpose::PlayMemory memory_of_plays;
  EXPECT_TRUE(interpose::play_collective(cast, static_cast<Operation>(c.op), root_of(c.op), members.data(),
                                         done.data(), memory_of_plays));
  return done;
}

void for_all(bool ports, const std::function<void(const Case&)>& check) {
  for (const CollectiveRules rules : {CollectiveRules::open_mpi_4, CollectiveRules::mpich_4})
    for (const CollectiveOp op :
         {CollectiveOp::barrier, CollectiveOp::bcast, CollectiveOp::gather, CollectiveOp::scatter,
          CollectiveOp::allgather, CollectiveOp::alltoall, CollectiveOp::allreduce, CollectiveOp::reduce,
          CollectiveOp::reduce_scatter, CollectiveOp::scan})
      for (const int members : {2, 3, 5, 8, 13, 16})
        for (const std::uint64_t bytes : {8, 3000, 20000, 100000})
          for (const bool late : {false, true})
            for (const int per_host : {1, 2}) check({rules, op, members, per_host, bytes, late, ports});
}

// Where no message waits for another at a port each rank leaves when simulation says, but for how the curves are
// written for the recorder, in 9 digits.
TEST(VirtualClock, PlaysCollectivesLikeSimulation) {
  for_all(false, [](const Case& c) {
    const std::vector<double> there = simulated(c), here = played(c);
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_NEAR(here[i], there[i], 1e-6 * there[i]) << name_of(c) << ", rank " << i;
  });
}

// Where they do wait, ports are through with what came together alike. But a message that a quick rank sends while
// others are at what is written down before it takes its turn by time there, and here behind those. So the last
// rank leaves when it does there in nine cases of ten (1821 of 1920 when this was written), and in the others
// within a quarter (-19% to +22%).
TEST(VirtualClock, PlaysCollectivesLikeSimulationButForTurnsAtPorts) {
  int cases = 0, same = 0;
  for_all(true, [&](const Case& c) {
    const std::vector<double> there = simulated(c), here = played(c);
    const double off =
        *std::max_element(here.begin(), here.end()) / *std::max_element(there.begin(), there.end()) - 1;
    ++cases;
    if (std::abs(off) < 1e-6) ++same;
    EXPECT_LT(std::abs(off), 0.25) << name_of(c);
  });
  EXPECT_GE(same * 10, cases * 9) << same << " of " << cases;
}

}  // namespace
}  // namespace ww

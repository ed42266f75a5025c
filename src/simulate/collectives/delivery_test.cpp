// Whether the messages of every algorithm carry the right data: each member's contribution must have a way,
// message by message and in the order of their calls, to everybody whom the definition of the operation says
// it reaches; of Open MPI and of MPICH, over members spread over hosts in several ways. A message is taken to
// carry all that its sender has; that it is as long as it must be is checked by collectives_test.cpp and
// mpich_test.cpp.
#include <gtest/gtest.h>

#include <bitset>
#include <optional>

#include "simulate/program.hpp"
#include "simulate/trace_builder.hpp"

namespace ww::simulate {
namespace {

constexpr int most_members = 40;
using Known = std::bitset<most_members>;

// What each rank knows in the end; nothing if they wait for one another for ever.
std::optional<std::vector<Known>> deliver(const Program& program) {
  std::vector<Known> known(program.ranks.size()), carried(program.messages.size());
  std::vector<bool> sent(program.messages.size(), false);
  std::vector<std::size_t> next(program.ranks.size(), 0);
  for (std::size_t rank = 0; rank < known.size(); ++rank) known[rank].set(rank);
  const auto step = [&](std::size_t rank) {
    const RankProgram& operations = program.ranks[rank];
    const std::uint32_t argument = operations.argument[next[rank]];
    if (operations.kind[next[rank]] == OpKind::send) {
      carried[argument] = known[rank];
      sent[argument] = true;
    } else if (operations.kind[next[rank]] == OpKind::wait) {
      const std::vector<EndNumber> ends(operations.group_end.begin() + operations.group_first[argument],
                                        operations.group_end.begin() + operations.group_first[argument + 1]);
      for (const EndNumber end : ends)
        if (!sent[message_of(end)]) return false;
      for (const EndNumber end : ends)
        if (!is_send_end(end)) known[rank] |= carried[message_of(end)];
    }
    ++next[rank];
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < known.size(); ++rank)
      while (next[rank] < program.ranks[rank].size() && step(rank)) moved = true;
  }
  for (std::size_t rank = 0; rank < known.size(); ++rank)
    if (next[rank] < program.ranks[rank].size()) return std::nullopt;
  return known;
}

void expect_delivered(CollectiveOp op, int root, const std::vector<Known>& known) {
  const std::size_t members = known.size(), of_root = static_cast<std::size_t>(root);
  Known all;
  for (std::size_t i = 0; i < members; ++i) all.set(i);
  for (std::size_t i = 0; i < members; ++i) {
    switch (op) {
      case CollectiveOp::bcast:
      case CollectiveOp::scatter:
      case CollectiveOp::scatterv:
        EXPECT_TRUE(known[i].test(of_root)) << i;
        break;
      case CollectiveOp::reduce:
      case CollectiveOp::gather:
      case CollectiveOp::gatherv:
        if (i == of_root) {
          EXPECT_EQ(known[i], all);
        }
        break;
      case CollectiveOp::scan:
      case CollectiveOp::exscan:
        for (std::size_t below = 0; below < i; ++below) EXPECT_TRUE(known[i].test(below)) << i << below;
        break;
      default:
        EXPECT_EQ(known[i], all) << i;
    }
  }
}

std::vector<std::string> hosts_of(int members, const std::string& how) {
  std::vector<std::string> hosts;
  for (int i = 0; i < members; ++i)
    hosts.push_back(how == "spread"    ? "h" + std::to_string(i)
                    : how == "in turn" ? "h" + std::to_string(i % 3)
                    : how == "by five" ? "h" + std::to_string(i / 5)
                                       : "h");
  return hosts;
}

TEST(Delivery, EveryContributionHasItsWay) {
  for (const char* mpi : {"openmpi", "mpich"})
    for (const char* how : {"spread", "in turn", "by five", "together"})
      for (const int members : {2, 3, 4, 5, 7, 8, 11, 16, 17, 33, 40})
        for (const std::uint64_t bytes : {8u, 100u, 5000u, 20000u, 600000u, 2000000u})
          for (int op = 0; op < static_cast<int>(CollectiveOp::communicator); ++op) {
            const auto kind = static_cast<CollectiveOp>(op);
            for (const int root : {0, 1, members - 1}) {
              TraceBuilder builder(hosts_of(members, how));
              builder.trace().run.mpi = mpi;
              const auto n = static_cast<std::uint64_t>(members);
              const bool all_pairs = kind == CollectiveOp::alltoall || kind == CollectiveOp::alltoallv ||
                                     kind == CollectiveOp::alltoallw;
              const bool gathers = kind == CollectiveOp::allgather || kind == CollectiveOp::allgatherv;
              const std::vector<std::uint64_t> each(n, all_pairs ? bytes * n : bytes),
                  got(n, gathers ? bytes * n : bytes);
              builder.collective(kind, root, each, gathers ? got : each);
              const auto program = compile(builder.trace());
              ASSERT_TRUE(program);
              const auto known = deliver(*program);
              SCOPED_TRACE(std::string(mpi) + ", " + to_string(kind) + " of " + std::to_string(members) +
                           " " + how + ", " + std::to_string(bytes) + " bytes, root " + std::to_string(root));
              ASSERT_TRUE(known) << "they wait for one another";
              expect_delivered(kind, root, *known);
              if (HasFailure()) return;
            }
          }
}

}  // namespace
}  // namespace ww::simulate

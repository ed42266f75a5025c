#include "simulate/collectives/collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simulate/collectives/algorithms.hpp"
#include "simulate/collectives/decision.hpp"
#include "simulate/collectives/mpich.hpp"
#include "simulate/collectives/sized.hpp"
#include "trace/library_of.hpp"

namespace ww::simulate {
namespace {

Algorithm refined(CollectiveOp op, Algorithm chosen, int members, const Sized& sized) {
  const bool power = std::has_single_bit(static_cast<unsigned>(members));
  const std::uint64_t count = elements(sized.bytes);
  if (op == CollectiveOp::allreduce && chosen == Algorithm::ring &&
      count < static_cast<std::uint64_t>(members))
    return Algorithm::recursive_doubling;
  if (chosen == Algorithm::rabenseifner && count < std::bit_floor(static_cast<unsigned>(members)))
    return op == CollectiveOp::allreduce ? Algorithm::reduce_then_bcast : Algorithm::linear;
  if (op == CollectiveOp::allgather && chosen == Algorithm::recursive_doubling && !power)
    return Algorithm::bruck;
  if (chosen == Algorithm::neighbor_exchange && members % 2 != 0) return Algorithm::ring;
  return chosen;
}

Tree tree_for(Algorithm algorithm, int members, int root, bool reducing) {
  switch (algorithm) {
    case Algorithm::chain:
      return chain_tree(members, root);
    case Algorithm::binary_tree:
    case Algorithm::split_binary_tree:
      return binary_tree(members, root);
    case Algorithm::knomial_tree:
      return knomial_tree(members, root, 4);
    case Algorithm::binomial_tree:
      return reducing ? in_order_binomial_tree(members, root) : binomial_tree(members, root);
    default:
      return star_tree(members, root);
  }
}

void bcast(Schedule& s, Algorithm algorithm, int root, std::uint64_t bytes) {
  if (algorithm == Algorithm::scatter_allgather)
    bcast_scatter_allgather(s, root, bytes);
  else
    bcast_tree(s, tree_for(algorithm, s.size(), root, false), bytes);
}

void reduce(Schedule& s, Algorithm algorithm, int root, std::uint64_t bytes) {
  if (algorithm == Algorithm::linear)
    reduce_linear(s, root, bytes);
  else
    reduce_tree(s, tree_for(algorithm, s.size(), root, true), bytes);
}

// One that calls another collective, which then goes by its own rule.
Algorithm inner(CollectiveOp op, int members, std::uint64_t bytes) {
  Sized sized;
  sized.bytes = bytes;
  return refined(op, openmpi_algorithm(op, members, bytes), members, sized);
}

void write(Schedule& s, CollectiveOp op, Algorithm algorithm, const Sized& sized) {
  const int members = s.size();
  switch (op) {
    case CollectiveOp::barrier:
      if (algorithm == Algorithm::linear) return barrier_linear(s);
      if (algorithm == Algorithm::bruck) return barrier_bruck(s);
      if (algorithm == Algorithm::double_tree) return barrier_tree(s);
      return barrier_recursive_doubling(s);
    case CollectiveOp::bcast:
      return bcast(s, algorithm, sized.root, sized.bytes);
    case CollectiveOp::reduce:
      return reduce(s, algorithm, sized.root, sized.bytes);
    case CollectiveOp::allreduce:
      if (algorithm == Algorithm::ring) return allreduce_ring(s, sized.bytes);
      if (algorithm == Algorithm::rabenseifner) return allreduce_rabenseifner(s, sized.bytes);
      if (algorithm == Algorithm::recursive_doubling) return allreduce_recursive_doubling(s, sized.bytes);
      reduce(s, inner(CollectiveOp::reduce, members, sized.bytes), 0, sized.bytes);
      return bcast(s, inner(CollectiveOp::bcast, members, sized.bytes), 0, sized.bytes);
    case CollectiveOp::allgather:
    case CollectiveOp::allgatherv:
      if (algorithm == Algorithm::recursive_doubling) return allgather_recursive_doubling(s, sized.blocks);
      if (algorithm == Algorithm::neighbor_exchange) return allgather_neighbor_exchange(s, sized.blocks);
      if (algorithm == Algorithm::bruck) return allgather_bruck(s, sized.blocks);
      if (algorithm != Algorithm::gather_then_bcast) return allgather_ring(s, sized.blocks);
      gather_linear(s, 0, sized.blocks);
      return bcast(
          s, inner(CollectiveOp::bcast, members, sized.rule_bytes * static_cast<std::uint64_t>(members)), 0,
          sized.rule_bytes * static_cast<std::uint64_t>(members));
    case CollectiveOp::alltoall:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
      if (algorithm == Algorithm::bruck) return alltoall_bruck(s, sized.bytes);
      if (algorithm == Algorithm::pairwise) return alltoall_pairwise(s, sized.pairs);
      return alltoall_linear(s, sized.pairs, op != CollectiveOp::alltoall);
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
      if (algorithm == Algorithm::binomial_tree) return gather_binomial(s, sized.root, sized.blocks);
      if (algorithm == Algorithm::linear_sync) return gather_linear_sync(s, sized.root, sized.blocks);
      return gather_linear(s, sized.root, sized.blocks);
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
      if (algorithm == Algorithm::binomial_tree) return scatter_binomial(s, sized.root, sized.blocks);
      if (algorithm == Algorithm::linear_nonblocking)
        return scatter_linear_nonblocking(s, sized.root, sized.blocks);
      return scatter_linear(s, sized.root, sized.blocks);
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce_scatter_block:
      if (algorithm == Algorithm::ring) return reduce_scatter_ring(s, sized.blocks);
      if (algorithm == Algorithm::recursive_doubling) return allreduce_recursive_doubling(s, sized.bytes);
      if (algorithm != Algorithm::reduce_then_scatter)
        return reduce_scatter_recursive_halving(s, sized.blocks);
      reduce(s, inner(CollectiveOp::reduce, members, sized.bytes), 0, sized.bytes);
      return scatter_linear(s, 0, sized.blocks);
    case CollectiveOp::scan:
    case CollectiveOp::exscan:
      return scan_linear(s, sized.bytes);
    case CollectiveOp::communicator:
    case CollectiveOp::window:
    case CollectiveOp::file:
    case CollectiveOp::other:
      return;
  }
}

std::string write_openmpi(Schedule& s, const std::vector<std::string>&, CollectiveOp op, const Sized& sized) {
  const Algorithm algorithm = refined(op, openmpi_algorithm(op, s.size(), sized.rule_bytes), s.size(), sized);
  write(s, op, algorithm, sized);
  return to_string(algorithm);
}

// Writes the collective by the rules of a library; `hosts` are the members'. Says by what, for people.
using Write = std::string (*)(Schedule& s, const std::vector<std::string>& hosts, CollectiveOp op,
                              const Sized& sized);
Write writer_by(CollectiveRules rules) {
  switch (rules) {
    case CollectiveRules::open_mpi_4:
      return write_openmpi;
    case CollectiveRules::mpich_4:
      return write_mpich;
    case CollectiveRules::unknown:
      break;
  }
  return nullptr;
}

// From the last member's entry to the first member's leaving, as recorded.
double recorded_service_s(const Trace& trace, const Collective& c) {
  std::int64_t entered_ns = 0, left_ns = 0;
  for (std::size_t i = 0; i < c.members.size(); ++i) {
    const CollectiveMember& member = c.members[i];
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(member.rank)];
    const std::uint32_t done = member.done_call == none ? member.call : member.done_call;
    entered_ns = i == 0 ? rank.enter_ns[member.call] : std::max(entered_ns, rank.enter_ns[member.call]);
    left_ns = i == 0 ? rank.leave_ns[done] : std::min(left_ns, rank.leave_ns[done]);
  }
  return static_cast<double>(std::max<std::int64_t>(0, left_ns - entered_ns)) * 1e-9;
}

bool nonblocking(const Trace& trace, const Collective& c) {
  return std::any_of(c.members.begin(), c.members.end(), [&](const CollectiveMember& member) {
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(member.rank)];
    for (std::uint32_t a = rank.first_action[member.call]; a < rank.first_action[member.call + 1]; ++a)
      if (rank.kind[a] == ActionKind::icollective) return true;
    return false;
  });
}

}  // namespace

CollectiveReplay spread(Program& program, const Trace& trace, const Collective& collective) {
  CollectiveReplay replay;
  const int members = static_cast<int>(collective.members.size());
  const Sized sized = sizes_of(trace, collective);
  const bool later = nonblocking(trace, collective);
  const std::string name = ww::to_string(collective.op);
  const bool between_groups = trace.comms[collective.comm].first_group > 0;
  const Write write_as_recorded = writer_by(library_of(trace).collectives);
  const bool known = write_as_recorded != nullptr &&
                     openmpi_algorithm(collective.op, members, sized.rule_bytes) != Algorithm::unknown;
  if (!known || later || between_groups) {
    replay.sync = static_cast<std::uint32_t>(program.syncs.size());
    program.syncs.push_back({static_cast<std::uint32_t>(members), recorded_service_s(trace, collective)});
    ++program.algorithms[fmt::format("{}{} kept at its recorded duration after the last member has entered",
                                     name,
                                     later            ? " (non-blocking)"
                                     : between_groups ? " (on an intercommunicator)"
                                                      : "")];
    return replay;
  }
  std::vector<std::int32_t> world;
  std::vector<std::string> hosts;
  for (const CollectiveMember& member : collective.members) {
    world.push_back(member.rank);
    hosts.push_back(trace.ranks[static_cast<std::size_t>(member.rank)].host);
  }
  Schedule schedule(program, std::move(world));
  if (members > 1) {
    const std::string how = write_as_recorded(schedule, hosts, collective.op, sized);
    ++program.algorithms[fmt::format("{} replayed by {}", name, how)];
  }
  for (int member = 0; member < members; ++member) replay.by_member.push_back(schedule.of(member));
  return replay;
}

}  // namespace ww::simulate

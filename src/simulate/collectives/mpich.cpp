#include "simulate/collectives/mpich.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace ww::simulate {
namespace {

using A = Algorithm;

// Within a host MPICH's posix module has the members write and read one piece of shared memory, along trees:
// here a message goes along each of their edges. (coll release_gather; MPIR_CVAR_BCAST_INTRANODE_TREE_KVAL
// and MPIR_CVAR_REDUCE_INTRANODE_TREE_KVAL. The first four calls on a communicator go as between hosts, and
// long vectors in pieces of 8 KiB; neither is told apart.)
constexpr int shared_bcast_radix = 64, shared_reduce_radix = 4;

// The members of each host, in the order of its first; the first one of them speaks for the host.
class ByHost {
 public:
  explicit ByHost(const std::vector<std::string>& hosts) {
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto at = std::find(seen.begin(), seen.end(), hosts[i]);
      host_of_.push_back(static_cast<int>(at - seen.begin()));
      if (at == seen.end()) {
        seen.push_back(hosts[i]);
        members_.emplace_back();
        firsts_.push_back(static_cast<int>(i));
      }
      place_.push_back(static_cast<int>(members_[static_cast<std::size_t>(host_of_.back())].size()));
      members_[static_cast<std::size_t>(host_of_.back())].push_back(static_cast<int>(i));
    }
  }
  int count() const { return static_cast<int>(firsts_.size()); }
  int host_of(int member) const { return host_of_[static_cast<std::size_t>(member)]; }
  int place_of(int member) const { return place_[static_cast<std::size_t>(member)]; }  // within its host
  const std::vector<int>& members(int host) const { return members_[static_cast<std::size_t>(host)]; }
  const std::vector<int>& firsts() const { return firsts_; }

 private:
  std::vector<std::vector<int>> members_;
  std::vector<int> host_of_, place_, firsts_;
};

void shared_bcast(Schedule s, int root, std::uint64_t bytes) {
  if (s.size() > 1) bcast_tree(s, kary_tree(s.size(), root, shared_bcast_radix), bytes);
}
void shared_reduce(Schedule s, int root, std::uint64_t bytes) {
  if (s.size() > 1) reduce_tree(s, kary_tree(s.size(), root, shared_reduce_radix), bytes);
}
// All report along the tree of reductions (nothing to combine) and are released along that of broadcasts.
void shared_barrier(Schedule s) {
  shared_reduce(s, 0, 0);
  shared_bcast(s, 0, 0);
}

void flat(Schedule& s, CollectiveOp op, A algorithm, const Sized& sized, int root) {
  switch (op) {
    case CollectiveOp::barrier:
      return barrier_bruck(s);
    case CollectiveOp::bcast:
      if (algorithm == A::binomial_tree) return bcast_binomial_blocking(s, root, sized.bytes);
      if (algorithm == A::scatter_ring_allgather) return bcast_scatter_ring_allgather(s, root, sized.bytes);
      return bcast_scatter_doubling_allgather(s, root, sized.bytes);
    case CollectiveOp::reduce:
      if (algorithm == A::binomial_tree) return reduce_binomial_blocking(s, root, sized.bytes);
      return reduce_scatter_gather(s, root, sized.bytes);
    case CollectiveOp::allreduce:
      if (algorithm == A::recursive_doubling) return allreduce_recursive_doubling(s, sized.bytes);
      return allreduce_reduce_scatter_allgather(s, sized.bytes);
    case CollectiveOp::allgather:
    case CollectiveOp::allgatherv:
      if (algorithm == A::recursive_doubling) return allgather_recursive_doubling(s, sized.blocks);
      if (algorithm == A::bruck) return allgather_bruck(s, sized.blocks);
      return allgather_ring(s, sized.blocks);
    case CollectiveOp::alltoall:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
      if (algorithm == A::bruck) return alltoall_bruck(s, sized.bytes);
      if (algorithm == A::scattered) return alltoall_scattered(s, sized.pairs, op != CollectiveOp::alltoall);
      if (std::has_single_bit(static_cast<unsigned>(s.size()))) return alltoall_exclusive_or(s, sized.pairs);
      return alltoall_pairwise(s, sized.pairs);
    case CollectiveOp::gather:
      return gather_binomial(s, root, sized.blocks);
    case CollectiveOp::scatter:
      return scatter_binomial_farthest(s, root, sized.blocks);
    case CollectiveOp::gatherv:
      return gather_linear_nonblocking(s, root, sized.blocks);
    case CollectiveOp::scatterv:
      return scatter_linear_nonblocking(s, root, sized.blocks);
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce_scatter_block:
      if (algorithm == A::pairwise) return reduce_scatter_pairwise(s, sized.blocks);
      return reduce_scatter_recursive_halving(s, sized.blocks);
    case CollectiveOp::scan:
    case CollectiveOp::exscan:
      return scan_recursive_doubling(s, sized.bytes);
    case CollectiveOp::communicator:
    case CollectiveOp::window:
    case CollectiveOp::file:
    case CollectiveOp::other:
      return;
  }
}

// What mpich_algorithm goes by.
std::uint64_t rule_bytes(CollectiveOp op, const Sized& sized) {
  const bool all_blocks = op == CollectiveOp::allgather || op == CollectiveOp::allgatherv ||
                          op == CollectiveOp::reduce_scatter || op == CollectiveOp::reduce_scatter_block;
  return all_blocks ? std::accumulate(sized.blocks.begin(), sized.blocks.end(), std::uint64_t{0})
                    : sized.bytes;
}

class ByLevels {
 public:
  ByLevels(Schedule& s, const ByHost& hosts, CollectiveOp op, const Sized& sized)
      : s_(s), hosts_(hosts), op_(op), sized_(sized), root_host_(hosts.host_of(sized.root)) {}

  void write(Levels levels) {
    switch (op_) {
      case CollectiveOp::barrier:
        for (int host = 0; host < hosts_.count(); ++host) shared_barrier(on(host));
        among_firsts(CollectiveOp::barrier, 0);
        for (int host = 0; host < hosts_.count(); ++host) shared_bcast(on(host), 0, 1);
        return;
      case CollectiveOp::bcast:
        return levels == Levels::alpha ? bcast_alpha() : bcast_beta();
      case CollectiveOp::reduce:
        return levels == Levels::alpha ? reduce_alpha() : reduce_beta();
      case CollectiveOp::allreduce:
        for (int host = 0; host < hosts_.count(); ++host) shared_reduce(on(host), 0, sized_.bytes);
        among_firsts(CollectiveOp::allreduce, 0);
        for (int host = 0; host < hosts_.count(); ++host) shared_bcast(on(host), 0, sized_.bytes);
        return;
      default:
        WW_INVARIANT(false);
    }
  }

 private:
  Schedule on(int host) const { return s_.part(hosts_.members(host)); }
  int root_place() const { return hosts_.place_of(sized_.root); }

  void among_firsts(CollectiveOp op, int root_host) {
    if (hosts_.count() < 2) return;
    Schedule firsts = s_.part(hosts_.firsts());
    flat(firsts, op, mpich_algorithm(op, hosts_.count(), sized_.bytes, elements(sized_.bytes)), sized_,
         root_host);
  }

  void bcast_alpha() {
    const int first = hosts_.firsts()[static_cast<std::size_t>(root_host_)];
    if (first != sized_.root) s_.transfer({sized_.root, first, sized_.bytes});
    among_firsts(CollectiveOp::bcast, root_host_);
    for (int host = 0; host < hosts_.count(); ++host) shared_bcast(on(host), 0, sized_.bytes);
  }
  void bcast_beta() {
    if (root_place() > 0) shared_bcast(on(root_host_), root_place(), sized_.bytes);
    among_firsts(CollectiveOp::bcast, root_host_);
    for (int host = 0; host < hosts_.count(); ++host)
      if (host != root_host_ || root_place() == 0) shared_bcast(on(host), 0, sized_.bytes);
  }
  void reduce_alpha() {
    for (int host = 0; host < hosts_.count(); ++host) shared_reduce(on(host), 0, sized_.bytes);
    among_firsts(CollectiveOp::reduce, 0);
    if (sized_.root != 0) s_.transfer({0, sized_.root, sized_.bytes});
  }
  void reduce_beta() {
    for (int host = 0; host < hosts_.count(); ++host)
      if (host != root_host_) shared_reduce(on(host), 0, sized_.bytes);
    among_firsts(CollectiveOp::reduce, root_host_);
    shared_reduce(on(root_host_), root_place(), sized_.bytes);
  }

  Schedule& s_;
  const ByHost& hosts_;
  CollectiveOp op_;
  const Sized& sized_;
  int root_host_;
};

}  // namespace

Algorithm mpich_algorithm(CollectiveOp op, int members, std::uint64_t bytes, std::uint64_t elements) {
  const bool power = std::has_single_bit(static_cast<unsigned>(members));
  const bool few_elements = elements < std::bit_floor(static_cast<unsigned>(members));
  constexpr std::uint64_t long_vector = 524288;
  switch (op) {
    case CollectiveOp::barrier:
      return A::dissemination;
    case CollectiveOp::bcast:
      if (members < 8 || bytes <= 12288) return A::binomial_tree;
      return power && bytes <= long_vector ? A::scatter_allgather : A::scatter_ring_allgather;
    case CollectiveOp::reduce:
      return bytes <= 2048 || few_elements ? A::binomial_tree : A::reduce_scatter_gather;
    case CollectiveOp::allreduce:
      return bytes <= 8 || few_elements ? A::recursive_doubling : A::rabenseifner;
    case CollectiveOp::allgather:
    case CollectiveOp::allgatherv:
      if (power) return bytes < long_vector ? A::recursive_doubling : A::ring;
      return bytes < 81920 ? A::bruck : A::ring;
    case CollectiveOp::alltoall:
      if (members >= 8 && bytes <= 256) return A::bruck;
      return bytes <= 32768 ? A::scattered : A::pairwise;
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
      return A::scattered;
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return A::binomial_tree;
    case CollectiveOp::gatherv:
    case CollectiveOp::scatterv:
      return A::linear_nonblocking;
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce_scatter_block:
      return bytes < long_vector ? A::recursive_halving : A::pairwise;
    case CollectiveOp::scan:
    case CollectiveOp::exscan:
      return A::recursive_doubling;
    case CollectiveOp::communicator:
    case CollectiveOp::window:
    case CollectiveOp::file:
    case CollectiveOp::other:
      return A::unknown;
  }
  return A::unknown;
}

Levels mpich_levels(CollectiveOp op, int members, int hosts, std::uint64_t bytes) {
  if (hosts == members) return Levels::flat;
  switch (op) {
    case CollectiveOp::barrier:
      return Levels::alpha;
    case CollectiveOp::bcast:
      if (members < 8 || bytes < 12288) return Levels::alpha;
      return std::has_single_bit(static_cast<unsigned>(members)) && bytes < 524288 ? Levels::beta
                                                                                   : Levels::flat;
    case CollectiveOp::reduce:
      return bytes <= 2048 ? Levels::beta : Levels::alpha;
    case CollectiveOp::allreduce:
      return hosts == 1 ? Levels::shared_memory : Levels::alpha;
    default:
      return Levels::flat;
  }
}

std::string write_mpich(Schedule& s, const std::vector<std::string>& hosts, CollectiveOp op,
                        const Sized& sized) {
  const ByHost by_host(hosts);
  const Levels levels = mpich_levels(op, s.size(), by_host.count(), sized.bytes);
  if (levels != Levels::flat) {
    ByLevels(s, by_host, op, sized).write(levels);
    if (by_host.count() == 1) return "MPICH's shared memory";
    return fmt::format("MPICH's {} between hosts and shared memory within",
                       to_string(mpich_algorithm(op, by_host.count(), sized.bytes, elements(sized.bytes))));
  }
  const A algorithm = mpich_algorithm(op, s.size(), rule_bytes(op, sized), elements(sized.bytes));
  flat(s, op, algorithm, sized, sized.root);
  const bool scan_by_levels =
      (op == CollectiveOp::scan || op == CollectiveOp::exscan) && by_host.count() < s.size();
  return fmt::format("MPICH's {}{}", to_string(algorithm),
                     scan_by_levels && op == CollectiveOp::scan
                         ? " (in place of one by levels where ranks of a host follow one another)"
                         : "");
}

}  // namespace ww::simulate

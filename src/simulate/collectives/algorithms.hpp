// The algorithms of collectives, one a file, as point-to-point messages: those of Open MPI's coll/base, and
// of MPICH those that differ. Sizes are bytes; `root` is a member number.
#pragma once
#include <cstdint>
#include <vector>

#include "simulate/collectives/schedule.hpp"

namespace ww::simulate {

using Sizes = std::vector<std::uint64_t>;  // by member

// A tree over the members: how broadcasts, reductions, gathers and scatters go down or up.
struct Tree {
  int root = 0;
  std::vector<int> parent;                 // -1 at the root
  std::vector<std::vector<int>> children;  // in the order of sending
};
Tree chain_tree(int size, int root);
Tree binary_tree(int size, int root);
Tree binomial_tree(int size, int root);
Tree in_order_binomial_tree(int size, int root);
Tree knomial_tree(int size, int root, int radix);
Tree star_tree(int size, int root);
Tree kary_tree(int size, int root, int radix);

void barrier_recursive_doubling(Schedule& s);
void barrier_linear(Schedule& s);
void barrier_bruck(Schedule& s);
void barrier_tree(Schedule& s);

void bcast_tree(Schedule& s, const Tree& tree, std::uint64_t bytes);
void bcast_scatter_allgather(Schedule& s, int root, std::uint64_t bytes);
// MPICH's: one child after the other, the farthest first; and a scatter by ceilings.
void bcast_binomial_blocking(Schedule& s, int root, std::uint64_t bytes);
void bcast_scatter_ring_allgather(Schedule& s, int root, std::uint64_t bytes);
void bcast_scatter_doubling_allgather(Schedule& s, int root, std::uint64_t bytes);  // a power of two

void reduce_tree(Schedule& s, const Tree& tree, std::uint64_t bytes);
void reduce_linear(Schedule& s, int root, std::uint64_t bytes);
void reduce_binomial_blocking(Schedule& s, int root, std::uint64_t bytes);
void reduce_scatter_gather(Schedule& s, int root, std::uint64_t bytes);

void allreduce_recursive_doubling(Schedule& s, std::uint64_t bytes);
void allreduce_ring(Schedule& s, std::uint64_t bytes);
void allreduce_rabenseifner(Schedule& s, std::uint64_t bytes);
void allreduce_reduce_scatter_allgather(Schedule& s, std::uint64_t bytes);

void allgather_recursive_doubling(Schedule& s, const Sizes& blocks);  // members a power of two
void allgather_ring(Schedule& s, const Sizes& blocks);
void allgather_neighbor_exchange(Schedule& s, const Sizes& blocks);  // members an even number
void allgather_bruck(Schedule& s, const Sizes& blocks);

using Matrix = std::vector<Sizes>;  // bytes by [from][to]
// skips_empty: where nothing is to be sent no message is (alltoallv and w, coll_base_alltoallv.c).
void alltoall_linear(Schedule& s, const Matrix& bytes, bool skips_empty = false);
void alltoall_pairwise(Schedule& s, const Matrix& bytes);
void alltoall_bruck(Schedule& s, std::uint64_t bytes);
void alltoall_scattered(Schedule& s, const Matrix& bytes, bool skips_empty = false);
void alltoall_exclusive_or(Schedule& s, const Matrix& bytes);  // members a power of two

// blocks[member]: what the member contributes or gets
void gather_linear(Schedule& s, int root, const Sizes& blocks);
void gather_linear_sync(Schedule& s, int root, const Sizes& blocks);
void gather_binomial(Schedule& s, int root, const Sizes& blocks);
void gather_linear_nonblocking(Schedule& s, int root, const Sizes& blocks);
void scatter_linear(Schedule& s, int root, const Sizes& blocks);
void scatter_linear_nonblocking(Schedule& s, int root, const Sizes& blocks);
void scatter_binomial(Schedule& s, int root, const Sizes& blocks);
void scatter_binomial_farthest(Schedule& s, int root, const Sizes& blocks);

void reduce_scatter_ring(Schedule& s, const Sizes& blocks);
void reduce_scatter_recursive_halving(Schedule& s, const Sizes& blocks);

void reduce_scatter_pairwise(Schedule& s, const Sizes& blocks);

void scan_linear(Schedule& s, std::uint64_t bytes);
void scan_recursive_doubling(Schedule& s, std::uint64_t bytes);

}  // namespace ww::simulate

// Which algorithm Open MPI 4.1 uses for a collective (coll/tuned, fixed rules, commutative operations). What
// MPICH uses is in mpich.hpp.
#pragma once
#include <cstdint>

#include "trace/trace.hpp"

namespace ww::simulate {

enum class Algorithm : std::uint8_t {
  unknown,
  linear,
  linear_nonblocking,
  linear_sync,
  chain,
  binary_tree,
  split_binary_tree,
  binomial_tree,
  knomial_tree,
  recursive_doubling,
  recursive_halving,
  butterfly,
  ring,
  neighbor_exchange,
  bruck,
  pairwise,
  rabenseifner,
  scatter_allgather,
  double_tree,
  reduce_then_bcast,
  gather_then_bcast,
  reduce_then_scatter,
  dissemination,
  scattered,
  scatter_ring_allgather,
  reduce_scatter_gather
};
const char* to_string(Algorithm algorithm);

// `bytes` is what the rules go by: the whole vector of a broadcast or reduction, the block of one pair or
// member of the others (reduce_scatter: all blocks together; allgatherv: the mean block).
Algorithm openmpi_algorithm(CollectiveOp op, int members, std::uint64_t bytes);

}  // namespace ww::simulate

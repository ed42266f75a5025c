#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The root's data scattered down a binomial tree, then gathered by all.
void bcast_scatter_allgather(Schedule& s, int root, std::uint64_t bytes) {
  const auto size = static_cast<std::uint64_t>(s.size());
  Sizes blocks;
  for (std::uint64_t i = 0; i < size; ++i) blocks.push_back(bytes * (i + 1) / size - bytes * i / size);
  scatter_binomial(s, root, blocks);
  if (std::has_single_bit(size))
    allgather_recursive_doubling(s, blocks);
  else
    allgather_ring(s, blocks);
}

}  // namespace ww::simulate

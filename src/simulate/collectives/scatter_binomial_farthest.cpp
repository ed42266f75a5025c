#include <algorithm>
#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Down a binomial tree, each member handing on the blocks of its subtrees one after the other, the largest
// first (MPICH's).
void scatter_binomial_farthest(Schedule& s, int root, const Sizes& blocks) {
  const int size = s.size();
  for (int mask = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) / 2; mask > 0; mask /= 2)
    for (int v = 0; v + mask < size; v += 2 * mask) {
      std::uint64_t bytes = 0;
      for (int w = v + mask; w < std::min(size, v + 2 * mask); ++w)
        bytes += blocks[static_cast<std::size_t>((w + root) % size)];
      s.transfer({(v + root) % size, (v + mask + root) % size, bytes});
    }
}

}  // namespace ww::simulate

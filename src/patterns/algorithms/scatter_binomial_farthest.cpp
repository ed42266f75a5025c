#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Down a binomial tree, each member handing on the blocks of its subtrees one after the other, the largest
// first (MPICH's).
const Algorithm scatter_binomial_farthest{
    "a binomial tree", [](const Group& group, const Asked& asked) {
      const int size = group.size();
      const Group from_root = group.counted_from(asked.root);
      for (int mask = smallest_power_above(size) / 2; mask > 0; mask /= 2)
        for (int v = 0; v + mask < size; v += 2 * mask)
          from_root.transfer(
              {v, v + mask, asked.blocks.of((v + mask + asked.root) % size, least(mask, size - v - mask))});
    }};

}  // namespace ww::patterns

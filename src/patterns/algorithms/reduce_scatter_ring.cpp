#include "patterns/algorithms.hpp"

namespace ww::patterns {

// size - 1 rounds around the ring; in the last one each member receives its own block.
const Algorithm reduce_scatter_ring{
    "a ring", [](const Group& group, const Asked& asked) {
      const int size = group.size();
      for (int step = 1; step < size; ++step)
        group.round([&](const Take& take) {
          for (int member = 0; member < size; ++member)
            take({member, (member + 1) % size, asked.blocks.of((member + size - step) % size), true});
        });
    }};

}  // namespace ww::patterns

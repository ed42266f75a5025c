#include "patterns/algorithms.hpp"

namespace ww::patterns {

// size - 1 rounds, each member hands on the block it got last.
const Algorithm allgather_ring{
    "a ring", [](const Group& group, const Asked& asked) {
      const int size = group.size();
      for (int step = 0; step + 1 < size; ++step)
        group.round([&](const Take& take) {
          for (int member = 0; member < size; ++member)
            take({member, (member + 1) % size, asked.blocks.of((member - step + size) % size)});
        });
    }};

}  // namespace ww::patterns

#include "patterns/algorithms.hpp"

namespace ww::patterns {

// In each round a member sends what it holds, at most what the other lacks, to the one `distance` below it.
const Algorithm allgather_bruck{
    "Bruck's algorithm", [](const Group& group, const Asked& asked) {
      const int size = group.size();
      for (int distance = 1; distance < size; distance *= 2) {
        const int count = least(distance, size - distance);
        group.round([&](const Take& take) {
          for (int member = 0; member < size; ++member)
            take({member, (member + size - distance) % size, asked.blocks.of(member, count)});
        });
      }
    }};

}  // namespace ww::patterns

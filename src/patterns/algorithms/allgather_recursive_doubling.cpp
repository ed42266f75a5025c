#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Everything held so far to the member at distance 1, 2, 4 ...; members a power of two.
const Algorithm allgather_recursive_doubling{
    "recursive doubling", [](const Group& group, const Asked& asked) {
      for (int distance = 1; distance < group.size(); distance *= 2)
        group.round([&](const Take& take) {
          for (int member = 0; member < group.size(); ++member)
            take({member, member ^ distance, asked.blocks.of(member & ~(distance - 1), distance)});
        });
    }};

}  // namespace ww::patterns

#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root posts all receives at once; members that have nothing send nothing (MPICH's gatherv).
const Algorithm gather_linear_nonblocking{
    "the non-blocking linear algorithm", [](const Group& group, const Asked& asked) {
      group.round([&](const Take& take) {
        for (int member = 0; member < group.size(); ++member)
          if (const uint64_t bytes = asked.blocks.of(member); member != asked.root && bytes > 0)
            take({member, asked.root, bytes});
      });
    }};

}  // namespace ww::patterns

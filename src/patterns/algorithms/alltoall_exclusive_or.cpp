#include "patterns/algorithms.hpp"

namespace ww::patterns {

// In round k a member exchanges with the one whose number differs in the bits of k (MPICH's pairwise exchange
// of a power of two).
const Algorithm alltoall_exclusive_or{
    "pairwise exchange", [](const Group& group, const Asked& asked) {
      const int size = group.size();
      for (int step = 1; step < size; ++step)
        group.round([&](const Take& take) {
          for (int member = 0; member < size; ++member)
            take({member, member ^ step, asked.pair(member, member ^ step, size)});
        });
    }};

}  // namespace ww::patterns

#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Each member's block to each other one, all at once.
const Algorithm allgather_linear{"the linear algorithm", [](const Group& group, const Asked& asked) {
                                   const int size = group.size();
                                   group.round([&](const Take& take) {
                                     for (int step = 1; step < size; ++step)
                                       for (int to = 0; to < size; ++to) {
                                         const int from = (to + step) % size;
                                         take({from, to, asked.blocks.of(from)});
                                       }
                                   });
                                 }};

}  // namespace ww::patterns

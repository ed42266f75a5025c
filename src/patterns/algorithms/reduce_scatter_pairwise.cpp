#include "patterns/algorithms.hpp"

namespace ww::patterns {

// In round k a member sends the block of the one k above it there, and combines its own from the one k below
// (MPICH's).
const Algorithm reduce_scatter_pairwise{"pairwise exchange", [](const Group& group, const Asked& asked) {
                                          const int size = group.size();
                                          for (int step = 1; step < size; ++step)
                                            group.round([&](const Take& take) {
                                              for (int member = 0; member < size; ++member) {
                                                const int to = (member + step) % size;
                                                take({member, to, asked.blocks.of(to), true});
                                              }
                                            });
                                        }};

}  // namespace ww::patterns

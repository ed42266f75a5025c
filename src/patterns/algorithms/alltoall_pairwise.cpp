#include "patterns/algorithms.hpp"

namespace ww::patterns {

// In round k a member sends to the one k above it and receives from the one k below.
const Algorithm alltoall_pairwise{"pairwise exchange", [](const Group& group, const Asked& asked) {
                                    const int size = group.size();
                                    for (int step = 1; step < size; ++step)
                                      group.round([&](const Take& take) {
                                        for (int member = 0; member < size; ++member) {
                                          const int to = (member + step) % size;
                                          take({member, to, asked.pair(member, to, size)});
                                        }
                                      });
                                  }};

}  // namespace ww::patterns

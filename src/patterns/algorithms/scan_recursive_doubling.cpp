#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Members exchange what they have so far with the one at distance 1, 2, 4 ... where there is one (MPICH's).
const Algorithm scan_recursive_doubling{"recursive doubling", [](const Group& group, const Asked& asked) {
                                          const int size = group.size();
                                          for (int distance = 1; distance < size; distance *= 2)
                                            group.round([&](const Take& take) {
                                              for (int member = 0; member < size; ++member)
                                                if ((member ^ distance) < size)
                                                  take({member, member ^ distance, asked.bytes, true});
                                            });
                                        }};

}  // namespace ww::patterns

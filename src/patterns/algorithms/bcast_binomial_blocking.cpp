#include "patterns/algorithms.hpp"

namespace ww::patterns {

// A member gets everything from the one whose number lacks its lowest bit, then sends it on one after the
// other, to the one that is farthest away first (MPICH's binomial broadcast).
const Algorithm bcast_binomial_blocking{"a binomial tree", [](const Group& group, const Asked& asked) {
                                          const int size = group.size();
                                          const Group from_root = group.counted_from(asked.root);
                                          for (int mask = smallest_power_above(size) / 2; mask > 0; mask /= 2)
                                            for (int v = 0; v + mask < size; v += 2 * mask)
                                              from_root.transfer({v, v + mask, asked.bytes});
                                        }};

}  // namespace ww::patterns

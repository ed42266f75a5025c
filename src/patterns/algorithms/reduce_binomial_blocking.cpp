#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Up a binomial tree, nearest first, each message combined before the next is received (MPICH's).
const Algorithm reduce_binomial_blocking{"a binomial tree", [](const Group& group, const Asked& asked) {
                                           const int size = group.size();
                                           const Group from_root = group.counted_from(asked.root);
                                           for (int mask = 1; mask < size; mask *= 2)
                                             for (int v = mask; v < size; v += 2 * mask)
                                               from_root.transfer({v, v - mask, asked.bytes, true});
                                         }};

}  // namespace ww::patterns

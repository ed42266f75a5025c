#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Up a binomial tree to member 0 and down again.
const Algorithm barrier_tree{"a tree up and down", [](const Group& group, const Asked&) {
                               const int size = group.size(), depth = smallest_power_above(size);
                               for (int jump = 1; jump < depth; jump *= 2)
                                 for (int low = 0; low + jump < size; low += 2 * jump)
                                   group.transfer({low + jump, low, 0});
                               for (int jump = depth / 2; jump > 0; jump /= 2)
                                 for (int low = 0; low + jump < size; low += 2 * jump)
                                   group.transfer({low, low + jump, 0});
                             }};

}  // namespace ww::patterns

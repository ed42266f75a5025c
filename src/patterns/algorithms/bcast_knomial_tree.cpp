#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

const Algorithm bcast_knomial_tree{"a k-nomial tree of radix 4", [](const Group& group, const Asked& asked) {
                                     down_the_tree(group, knomial_children, asked.root, asked.bytes);
                                   }};

}  // namespace ww::patterns

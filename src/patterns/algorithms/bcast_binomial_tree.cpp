#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

const Algorithm bcast_binomial_tree{"a binomial tree", [](const Group& group, const Asked& asked) {
                                      down_the_tree(group, binomial_children, asked.root, asked.bytes);
                                    }};

}  // namespace ww::patterns

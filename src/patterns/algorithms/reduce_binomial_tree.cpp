#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

const Algorithm reduce_binomial_tree{"a binomial tree", [](const Group& group, const Asked& asked) {
                                       up_the_tree(group, in_order_binomial_children, asked.root,
                                                   asked.bytes);
                                     }};

}  // namespace ww::patterns

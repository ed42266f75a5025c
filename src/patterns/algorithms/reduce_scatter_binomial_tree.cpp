#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Up a binomial tree to member 0, which sends each its block, all at once.
const Algorithm reduce_scatter_binomial_tree{"a binomial tree and the linear scatter",
                                             [](const Group& group, const Asked& asked) {
                                               Asked to_first = asked;
                                               to_first.root = 0;
                                               reduce_binomial_tree.write(group, to_first);
                                               scatter_linear_nonblocking.write(group, to_first);
                                             }};

}  // namespace ww::patterns

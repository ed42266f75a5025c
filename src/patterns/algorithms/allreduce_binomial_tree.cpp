#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Up a binomial tree to member 0 and down one.
const Algorithm allreduce_binomial_tree{"binomial trees up and down",
                                        [](const Group& group, const Asked& asked) {
                                          Asked to_first = asked;
                                          to_first.root = 0;
                                          reduce_binomial_tree.write(group, to_first);
                                          bcast_binomial_tree.write(group, to_first);
                                        }};

}  // namespace ww::patterns

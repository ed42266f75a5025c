#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

const Algorithm bcast_split_binary_tree{"a binary tree (in place of the split one)",
                                        [](const Group& group, const Asked& asked) {
                                          down_the_tree(group, binary_children, asked.root, asked.bytes);
                                        }};

}  // namespace ww::patterns

#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

const Algorithm reduce_binary_tree{"a binary tree", [](const Group& group, const Asked& asked) {
                                     up_the_tree(group, binary_children, asked.root, asked.bytes);
                                   }};

}  // namespace ww::patterns

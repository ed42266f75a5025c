#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

const Algorithm reduce_chain{"a chain", [](const Group& group, const Asked& asked) {
                               up_the_tree(group, chain_children, asked.root, asked.bytes);
                             }};

}  // namespace ww::patterns

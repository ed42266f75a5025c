#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

// Down an in-order binomial tree: each member gets the blocks of its subtree and hands the children theirs.
const Algorithm scatter_binomial_tree{
    "a binomial tree", [](const Group& group, const Asked& asked) {
      const int size = group.size();
      const Group from_root = group.counted_from(asked.root);
      for (int v = 0; v < size; ++v) {
        const Children children = in_order_binomial_children(v, size);
        for (int i = 0; i < children.count; ++i) {
          const int child = children.child[i], below = least(child - v, size - child);
          from_root.transfer({v, child, asked.blocks.of((child + asked.root) % size, below)});
        }
      }
    }};

}  // namespace ww::patterns

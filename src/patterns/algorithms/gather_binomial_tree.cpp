#include "patterns/algorithms.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {

// Up an in-order binomial tree: each member sends its own block and those of its subtree, which follow its
// own.
const Algorithm gather_binomial_tree{
    "a binomial tree", [](const Group& group, const Asked& asked) {
      const int size = group.size();
      const Group from_root = group.counted_from(asked.root);
      for (int v = size - 1; v >= 0; --v) {
        const Children children = in_order_binomial_children(v, size);
        for (int i = 0; i < children.count; ++i) {
          const int child = children.child[i], below = least(child - v, size - child);
          from_root.transfer({child, v, asked.blocks.of((child + asked.root) % size, below)});
        }
      }
    }};

}  // namespace ww::patterns

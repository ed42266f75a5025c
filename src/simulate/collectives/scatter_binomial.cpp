#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Down an in-order binomial tree: each member gets the blocks of its subtree and hands the children theirs.
void scatter_binomial(Schedule& s, int root, const Sizes& blocks) {
  const Tree tree = in_order_binomial_tree(s.size(), root);
  Sizes held = blocks;
  for (int v = s.size() - 1; v > 0; --v) {
    const int member = (v + root) % s.size();
    const int parent = tree.parent[static_cast<std::size_t>(member)];
    held[static_cast<std::size_t>(parent)] += held[static_cast<std::size_t>(member)];
  }
  for (int v = 0; v < s.size(); ++v) {
    const int member = (v + root) % s.size();
    for (const int child : tree.children[static_cast<std::size_t>(member)])
      s.transfer({member, child, held[static_cast<std::size_t>(child)]});
  }
}

}  // namespace ww::simulate

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Up an in-order binomial tree: each member sends its own block and those of its subtree.
void gather_binomial(Schedule& s, int root, const Sizes& blocks) {
  const Tree tree = in_order_binomial_tree(s.size(), root);
  Sizes held = blocks;
  for (int v = s.size() - 1; v > 0; --v) {
    const int member = (v + root) % s.size();
    const int parent = tree.parent[static_cast<std::size_t>(member)];
    held[static_cast<std::size_t>(parent)] += held[static_cast<std::size_t>(member)];
  }
  // Receives in the order of the children, so every member's turn comes after those of its whole subtree.
  const auto collect = [&](auto&& self, int member) -> void {
    for (const int child : tree.children[static_cast<std::size_t>(member)]) {
      self(self, child);
      s.transfer({child, member, held[static_cast<std::size_t>(child)]});
    }
  };
  collect(collect, root);
}

}  // namespace ww::simulate

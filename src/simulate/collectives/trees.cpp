// The shapes of trees that Open MPI 4.1 uses (coll_base_topo.c), and MPICH within a host.
#include <bit>
#include <utility>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {
namespace {

// A tree built over 0 .. size - 1 with root 0, turned so that `root` is its root.
class Builder {
 public:
  Builder(int size, int root) : size_(size) {
    tree_.root = root;
    tree_.parent.assign(static_cast<std::size_t>(size), -1);
    tree_.children.resize(static_cast<std::size_t>(size));
  }
  void link(int parent, int child) {
    const int real_parent = (parent + tree_.root) % size_, real_child = (child + tree_.root) % size_;
    tree_.parent[static_cast<std::size_t>(real_child)] = real_parent;
    tree_.children[static_cast<std::size_t>(real_parent)].push_back(real_child);
  }
  Tree take() { return std::move(tree_); }

 private:
  int size_;
  Tree tree_;
};

}  // namespace

Tree chain_tree(int size, int root) {
  Builder tree(size, root);
  for (int v = 1; v < size; ++v) tree.link(v - 1, v);
  return tree.take();
}

// Level by level: level l holds 2^l members; child numbers follow by 2^l.
Tree binary_tree(int size, int root) {
  Builder tree(size, root);
  for (int first = 0, width = 1; first < size; first += width, width *= 2)
    for (int v = first; v < first + width && v < size; ++v)
      for (const int child : {v + width, v + 2 * width})
        if (child < size) tree.link(v, child);
  return tree.take();
}

// Children of v are v with one bit above its highest set bit: 0 -> 1 2 4, 1 -> 3 5, 3 -> 7.
Tree binomial_tree(int size, int root) {
  Builder tree(size, root);
  for (int v = 0; v < size; ++v)
    for (int mask = static_cast<int>(std::bit_ceil(static_cast<unsigned>(v) + 1)); (v | mask) < size;
         mask *= 2)
      tree.link(v, v | mask);
  return tree.take();
}

// Children of v are v with one bit below its lowest set bit, so that subtrees are ranges: 0 -> 1 2 4, 4 ->
// 5 6.
Tree in_order_binomial_tree(int size, int root) {
  Builder tree(size, root);
  for (int v = 0; v < size; ++v)
    for (int mask = 1; mask < size && (v & mask) == 0; mask *= 2)
      if ((v | mask) < size) tree.link(v, v | mask);
  return tree.take();
}

// By digits to the base `radix`; the farthest children first.
Tree knomial_tree(int size, int root, int radix) {
  Builder tree(size, root);
  for (int v = 0; v < size; ++v) {
    int mask = 1;
    while (mask < size && v % (radix * mask) == 0) mask *= radix;
    for (mask /= radix; mask > 0; mask /= radix)
      for (int digit = 1; digit < radix; ++digit)
        if (v + mask * digit < size) tree.link(v, v + mask * digit);
  }
  return tree.take();
}

// Children of v are radix * v + 1 and the next ones.
Tree kary_tree(int size, int root, int radix) {
  Builder tree(size, root);
  for (int v = 1; v < size; ++v) tree.link((v - 1) / radix, v);
  return tree.take();
}

Tree star_tree(int size, int root) {
  Tree tree{root, std::vector<int>(static_cast<std::size_t>(size), root),
            std::vector<std::vector<int>>(static_cast<std::size_t>(size))};
  tree.parent[static_cast<std::size_t>(root)] = -1;
  for (int member = 0; member < size; ++member)
    if (member != root) tree.children[static_cast<std::size_t>(root)].push_back(member);
  return tree;
}

}  // namespace ww::simulate

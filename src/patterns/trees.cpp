#include "patterns/trees.hpp"

namespace ww::patterns {

Children chain_children(int v, int size) {
  Children out;
  out.add(v + 1, size);
  return out;
}

// Level by level: level l holds 2^l members; child numbers follow by 2^l.
Children binary_children(int v, int size) {
  Children out;
  const int width = largest_power_in(v + 1);
  out.add(v + width, size);
  out.add(v + 2 * width, size);
  return out;
}

// Children of v are v with one bit above its highest set bit: 0 -> 1 2 4, 1 -> 3 5, 3 -> 7.
Children binomial_children(int v, int size) {
  Children out;
  for (int mask = smallest_power_above(v + 1); (v | mask) < size; mask *= 2) out.add(v | mask, size);
  return out;
}

// Children of v are v with one bit below its lowest set bit, so that subtrees are ranges: 0 -> 1 2 4, 4 ->
// 5 6.
Children in_order_binomial_children(int v, int size) {
  Children out;
  for (int mask = 1; mask < size && (v & mask) == 0; mask *= 2) out.add(v | mask, size);
  return out;
}

// By digits to the base of the radix; the farthest children first.
Children knomial_children(int v, int size) {
  constexpr int radix = 4;
  Children out;
  int mask = 1;
  while (mask < size && v % (radix * mask) == 0) mask *= radix;
  for (mask /= radix; mask > 0; mask /= radix)
    for (int digit = 1; digit < radix; ++digit) out.add(v + mask * digit, size);
  return out;
}

namespace {

// Children of v are radix * v + 1 and the next ones.
Children kary_children(int v, int size, int radix) {
  Children out;
  for (int i = 1; i <= radix && v < size; ++i) out.add(radix * v + i, size);
  return out;
}

}  // namespace

// MPIR_CVAR_BCAST_INTRANODE_TREE_KVAL, MPIR_CVAR_REDUCE_INTRANODE_TREE_KVAL
Children shared_bcast_children(int v, int size) {
  return kary_children(v, size, Children::most);
}
Children shared_reduce_children(int v, int size) {
  return kary_children(v, size, 4);
}

void down_the_tree(const Group& group, Shape shape, int root, uint64_t bytes) {
  const int size = group.size();
  const Group from_root = group.counted_from(root);
  for (int v = 0; v < size; ++v) {
    const Children children = shape(v, size);
    if (children.count == 0) continue;
    from_root.round([&](const Take& take) {
      for (int i = 0; i < children.count; ++i) take({v, children.child[i], bytes});
    });
  }
}

void up_the_tree(const Group& group, Shape shape, int root, uint64_t bytes) {
  const int size = group.size();
  const Group from_root = group.counted_from(root);
  for (int v = size - 1; v >= 0; --v) {
    const Children children = shape(v, size);
    if (children.count == 0) continue;
    from_root.round([&](const Take& take) {
      for (int i = children.count - 1; i >= 0; --i) take({children.child[i], v, bytes, true});
    });
  }
}

}  // namespace ww::patterns

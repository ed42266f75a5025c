// The shapes of trees that Open MPI 4.1 uses (coll_base_topo.c), and MPICH within a host: over 0 to size - 1
// with root 0, children greater than their parents. How broadcasts and reductions go along them.
#pragma once
#include "patterns/pattern.hpp"

namespace ww::patterns {

struct Children {
  static constexpr int most = 64;
  int count = 0;
  int child[most];

  void add(int v, int size) {
    if (v < size) child[count++] = v;
  }
};
using Shape = Children (*)(int v, int size);  // of v, in the order of sending

Children chain_children(int v, int size);
Children binary_children(int v, int size);
Children binomial_children(int v, int size);
Children in_order_binomial_children(int v, int size);
Children knomial_children(int v, int size);       // radix 4
Children shared_bcast_children(int v, int size);  // radix 64
Children shared_reduce_children(int v, int size);

// Each member gets everything from its parent, then sends to all its children at once.
void down_the_tree(const Group& group, Shape shape, int root, uint64_t bytes);
// Each member receives from all its children, the last one's first, then sends to its parent.
void up_the_tree(const Group& group, Shape shape, int root, uint64_t bytes);

}  // namespace ww::patterns

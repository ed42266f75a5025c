// E-cube routing: the lowest dimension in which the nodes differ comes first, so that no cycle of channels
// can wait for itself (Sullivan and Bashkow 1977).
#pragma once
#include <bit>

namespace ww::simulate::hypercube {

// From `at` towards `to`, which differ: the dimension to cross, and the node behind it.
inline int next_dimension(int at, int to) {
  return std::countr_zero(static_cast<unsigned>(at ^ to));
}
inline int next_node(int at, int to) {
  return at ^ (1 << next_dimension(at, to));
}
inline int distance(int a, int b) {
  return std::popcount(static_cast<unsigned>(a ^ b));
}

}  // namespace ww::simulate::hypercube

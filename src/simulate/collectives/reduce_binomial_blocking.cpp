#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Up a binomial tree, nearest first, each message combined before the next is received (MPICH's).
void reduce_binomial_blocking(Schedule& s, int root, std::uint64_t bytes) {
  const int size = s.size();
  for (int mask = 1; mask < size; mask *= 2)
    for (int v = mask; v < size; v += 2 * mask)
      s.transfer({(v + root) % size, (v - mask + root) % size, bytes, true});
}

}  // namespace ww::simulate

#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// A member gets everything from the one whose number lacks its lowest bit, then sends it on one after the
// other, to the one that is farthest away first (MPICH's binomial broadcast).
void bcast_binomial_blocking(Schedule& s, int root, std::uint64_t bytes) {
  const int size = s.size();
  for (int mask = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) / 2; mask > 0; mask /= 2)
    for (int v = 0; v + mask < size; v += 2 * mask)
      s.transfer({(v + root) % size, (v + mask + root) % size, bytes});
}

}  // namespace ww::simulate

#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Up a binomial tree to member 0 and down again.
void barrier_tree(Schedule& s) {
  const int depth = static_cast<int>(std::bit_ceil(static_cast<unsigned>(s.size())));
  const auto level = [&](int jump, bool up) {
    for (int low = 0; low + jump < s.size(); low += 2 * jump)
      s.transfer(up ? Transfer{low + jump, low, 0} : Transfer{low, low + jump, 0});
  };
  for (int jump = 1; jump < depth; jump *= 2) level(jump, true);
  for (int jump = depth / 2; jump > 0; jump /= 2) level(jump, false);
}

}  // namespace ww::simulate

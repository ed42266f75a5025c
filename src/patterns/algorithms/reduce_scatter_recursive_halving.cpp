#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Members beyond a power of two hand everything to a neighbour and get their block back at the end; the
// others halve what they work on with the partner at half, a quarter ... of the members.
const Algorithm reduce_scatter_recursive_halving{
    "recursive halving", [](const Group& group, const Asked& asked) {
      const int power = largest_power_in(group.size()), extra = group.size() - power;
      for (int i = 0; i < extra; ++i) group.transfer({2 * i, 2 * i + 1, asked.blocks.all(), true});
      const auto member_of = [&](int v) { return v < extra ? 2 * v + 1 : v + extra; };
      const auto first_of = [&](int v) {
        return v < extra ? 2 * v : v + extra;
      };  // of the members that v stands for
      for (int distance = power / 2; distance > 0; distance /= 2)
        group.round([&](const Take& take) {
          for (int v = 0; v < power; ++v) {
            const int partner = v ^ distance, half = partner & ~(distance - 1);
            const int first = first_of(half), end = first_of(half + distance);
            take({member_of(v), member_of(partner), asked.blocks.of(first, end - first), true});
          }
        });
      for (int i = 0; i < extra; ++i) group.transfer({2 * i + 1, 2 * i, asked.blocks.of(2 * i)});
    }};

}  // namespace ww::patterns

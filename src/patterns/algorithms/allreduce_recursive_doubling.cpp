#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Of the first 2 * extra members the even ones hand theirs to the odd ones and get the result back from them;
// the others exchange everything with the partner at distance 1, 2, 4 ...
const Algorithm allreduce_recursive_doubling{
    "recursive doubling", [](const Group& group, const Asked& asked) {
      const int power = largest_power_in(group.size()), extra = group.size() - power;
      const uint64_t bytes = asked.bytes;
      const auto member_of = [&](int v) { return v < extra ? 2 * v + 1 : v + extra; };
      for (int i = 0; i < extra; ++i) group.transfer({2 * i, 2 * i + 1, bytes, true});
      for (int distance = 1; distance < power; distance *= 2)
        group.round([&](const Take& take) {
          for (int v = 0; v < power; ++v) take({member_of(v), member_of(v ^ distance), bytes, true});
        });
      for (int i = 0; i < extra; ++i) group.transfer({2 * i + 1, 2 * i, bytes});
    }};

}  // namespace ww::patterns

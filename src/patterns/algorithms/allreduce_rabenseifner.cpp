#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Reduce-scatter by recursive halving, then allgather by recursive doubling (Thakur, Rabenseifner, Gropp
// 2005). Extra members: of the first 2 * extra, neighbours exchange halves, the odd one hands its half back
// and waits for the result.
const Algorithm allreduce_rabenseifner{
    "Rabenseifner's algorithm", [](const Group& group, const Asked& asked) {
      const uint64_t bytes = asked.bytes;
      const int power = largest_power_in(group.size()), extra = group.size() - power;
      const auto member_of = [&](int v) { return v < extra ? 2 * v : v + extra; };
      for (int i = 0; i < extra; ++i) {
        const int even = 2 * i, odd = 2 * i + 1;
        group.round([&](const Take& take) {
          take({odd, even, bytes / 2, true});
          take({even, odd, bytes - bytes / 2, true});
        });
        group.transfer({odd, even, bytes - bytes / 2});
      }
      // What v works on after its exchanges at distances 1, 2 ... below `distance`.
      const auto window = [&](int v, int distance) {
        uint64_t left = bytes;
        for (int bit = 1; bit < distance; bit *= 2) left = (v & bit) == 0 ? left / 2 : left - left / 2;
        return left;
      };
      for (int distance = 1; distance < power; distance *= 2)
        group.round([&](const Take& take) {
          for (int v = 0; v < power; ++v)
            take({member_of(v), member_of(v ^ distance), window(v ^ distance, 2 * distance), true});
        });
      for (int distance = power / 2; distance > 0; distance /= 2)
        group.round([&](const Take& take) {
          for (int v = 0; v < power; ++v)
            take({member_of(v), member_of(v ^ distance), window(v, 2 * distance)});
        });
      for (int i = 0; i < extra; ++i) group.transfer({2 * i, 2 * i + 1, bytes});
    }};

}  // namespace ww::patterns

#include "patterns/algorithms.hpp"
#include "patterns/halving.hpp"

namespace ww::patterns {

// Rabenseifner's allreduce as MPICH has it: reduce-scatter by recursive halving with the nearest first, then
// allgather by recursive doubling back. Of the first 2 * extra members the even ones hand everything to the
// odd ones and get the result back.
const Algorithm allreduce_reduce_scatter_allgather{
    "Rabenseifner's algorithm", [](const Group& group, const Asked& asked) {
      const uint64_t bytes = asked.bytes;
      const Halving halves(group.size(), bytes);
      const int power = halves.members, extra = group.size() - power;
      const auto member_of = [&](int v) { return v < extra ? 2 * v + 1 : v + extra; };
      for (int i = 0; i < extra; ++i) group.transfer({2 * i, 2 * i + 1, bytes, true});
      const auto exchange = [&](int mask, bool reducing) {
        group.round([&](const Take& take) {
          for (int v = 0; v < power; ++v)
            take({member_of(v), member_of(v ^ mask), halves.held(reducing ? v ^ mask : v, mask), reducing});
        });
      };
      for (int mask = 1; mask < power; mask *= 2) exchange(mask, true);
      for (int mask = power / 2; mask > 0; mask /= 2) exchange(mask, false);
      for (int i = 0; i < extra; ++i) group.transfer({2 * i + 1, 2 * i, bytes});
    }};

}  // namespace ww::patterns

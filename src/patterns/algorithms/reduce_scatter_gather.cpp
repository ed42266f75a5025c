#include "patterns/algorithms.hpp"
#include "patterns/halving.hpp"

namespace ww::patterns {

// Reduce-scatter by recursive halving with the nearest first, then the parts up a binomial tree to the root
// (Rabenseifner's reduce as MPICH has it). Extra members: of the first 2 * extra the odd ones hand theirs to
// the even ones. A root among those takes the place of member 0, whose part it gets first.
const Algorithm reduce_scatter_gather{
    "reduce-scatter and gather", [](const Group& group, const Asked& asked) {
      const Halving halves(group.size(), asked.bytes);
      const int power = halves.members, extra = group.size() - power, root = asked.root;
      const bool replaced = root < 2 * extra && root % 2 != 0;
      const auto member_of = [&](int v) { return v < extra ? 2 * v : v + extra; };
      for (int i = 0; i < extra; ++i) group.transfer({2 * i + 1, 2 * i, asked.bytes, true});
      for (int mask = 1; mask < power; mask *= 2)
        group.round([&](const Take& take) {
          for (int v = 0; v < power; ++v)
            take({member_of(v), member_of(v ^ mask), halves.held(v ^ mask, mask), true});
        });
      if (replaced) group.transfer({0, root, halves.held(0, power / 2)});
      const int root_v = replaced ? 0 : root < 2 * extra ? root / 2 : root - extra;
      const auto now_of = [&](int v) { return replaced && v == 0 ? root : member_of(v); };
      for (int mask = power / 2; mask > 0; mask /= 2)
        // who has not sent yet shares the root's higher bits
        for (int v = 0; v < power; ++v)
          if (((v ^ root_v) & mask) != 0 && ((v ^ root_v) & ~(2 * mask - 1) & (power - 1)) == 0)
            group.transfer({now_of(v), now_of(v ^ mask), halves.held(v, mask)});
    }};

}  // namespace ww::patterns

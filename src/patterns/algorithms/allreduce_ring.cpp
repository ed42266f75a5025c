#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The vector in one block a member: size - 1 rounds that reduce around the ring, size - 1 that distribute.
const Algorithm allreduce_ring{
    "a ring", [](const Group& group, const Asked& asked) {
      const int members = group.size();
      const uint64_t size = static_cast<uint64_t>(members);
      const auto block = [&](int number) {
        const uint64_t n = static_cast<uint64_t>((number % members + members) % members);
        return asked.bytes * (n + 1) / size - asked.bytes * n / size;
      };
      for (int step = 0; step < 2 * (members - 1); ++step)
        group.round([&](const Take& take) {
          for (int member = 0; member < members; ++member)
            take({member, (member + 1) % members, block(member - step), step + 1 < members});
        });
    }};

}  // namespace ww::patterns

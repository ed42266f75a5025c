#include "patterns/algorithms.hpp"

namespace ww::patterns {

// As bcast_scatter_ring_allgather, but gathered by recursive doubling; members a power of two, so counted from
// the root on that those that exchange have neighbouring blocks (MPICH's).
const Algorithm bcast_scatter_doubling_allgather{
    "scatter and allgather", [](const Group& group, const Asked& asked) {
      const uint64_t size = static_cast<uint64_t>(group.size()), block = (asked.bytes + size - 1) / size;
      const auto before = [&](int i) { return least(asked.bytes, static_cast<uint64_t>(i) * block); };
      Asked parts = asked;
      parts.root = 0;
      parts.blocks = {before, group.size()};

      const Group from_root = group.counted_from(asked.root);
      scatter_binomial_farthest.write(from_root, parts);
      allgather_recursive_doubling.write(from_root, parts);
    }};

}  // namespace ww::patterns

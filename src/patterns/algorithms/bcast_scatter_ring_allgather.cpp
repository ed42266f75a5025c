#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root's data cut into equal blocks from the root on (the last ones may be shorter or empty), scattered
// down a binomial tree and gathered by all around a ring (MPICH's broadcast of long messages).
const Algorithm bcast_scatter_ring_allgather{
    "scatter and a ring", [](const Group& group, const Asked& asked) {
      const uint64_t size = static_cast<uint64_t>(group.size()), block = (asked.bytes + size - 1) / size;
      const auto before = [&](int i) { return least(asked.bytes, static_cast<uint64_t>(i) * block); };
      Asked parts = asked;
      parts.root = 0;
      parts.blocks = {before, group.size()};

      const Group from_root = group.counted_from(asked.root);
      scatter_binomial_farthest.write(from_root, parts);
      allgather_ring.write(from_root, parts);
    }};

}  // namespace ww::patterns

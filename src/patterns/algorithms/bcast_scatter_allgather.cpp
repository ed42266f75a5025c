#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root's data scattered down a binomial tree, then gathered by all.
const Algorithm bcast_scatter_allgather{
    "scatter and allgather", [](const Group& group, const Asked& asked) {
      const uint64_t size = static_cast<uint64_t>(group.size());
      const auto before = [&](int i) { return asked.bytes * static_cast<uint64_t>(i) / size; };
      Asked parts = asked;
      parts.blocks = {before, group.size()};
      scatter_binomial_tree.write(group, parts);
      (power_of_two(group.size()) ? allgather_recursive_doubling : allgather_ring).write(group, parts);
    }};

}  // namespace ww::patterns

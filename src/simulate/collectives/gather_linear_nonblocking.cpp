#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The root posts all receives at once; members that have nothing send nothing (MPICH's gatherv).
void gather_linear_nonblocking(Schedule& s, int root, const Sizes& blocks) {
  std::vector<Transfer> all;
  for (int member = 0; member < s.size(); ++member)
    if (const std::uint64_t bytes = blocks[static_cast<std::size_t>(member)]; member != root && bytes > 0)
      all.push_back({member, root, bytes});
  s.round(all);
}

}  // namespace ww::simulate

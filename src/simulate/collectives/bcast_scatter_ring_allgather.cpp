#include <algorithm>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The root's data cut into equal blocks (the last ones may be shorter or empty), scattered down a binomial
// tree and gathered by all around a ring (MPICH's broadcast of long messages).
namespace {

Sizes blocks_by_ceiling(int size, int root, std::uint64_t bytes) {
  const auto members = static_cast<std::uint64_t>(size);
  const std::uint64_t block = (bytes + members - 1) / members;
  Sizes blocks(members);
  for (std::uint64_t v = 0; v < members; ++v)
    blocks[(v + static_cast<std::uint64_t>(root)) % members] =
        std::min(block, bytes - std::min(bytes, v * block));
  return blocks;
}

}  // namespace

void bcast_scatter_ring_allgather(Schedule& s, int root, std::uint64_t bytes) {
  const Sizes blocks = blocks_by_ceiling(s.size(), root, bytes);
  scatter_binomial_farthest(s, root, blocks);
  allgather_ring(s, blocks);
}

// The members numbered from the root on, so that those that exchange have neighbouring blocks.
void bcast_scatter_doubling_allgather(Schedule& s, int root, std::uint64_t bytes) {
  const Sizes blocks = blocks_by_ceiling(s.size(), root, bytes);
  scatter_binomial_farthest(s, root, blocks);
  std::vector<int> from_root;
  Sizes turned;
  for (int v = 0; v < s.size(); ++v) {
    from_root.push_back((v + root) % s.size());
    turned.push_back(blocks[static_cast<std::size_t>(from_root.back())]);
  }
  Schedule part = s.part(from_root);
  allgather_recursive_doubling(part, turned);
}

}  // namespace ww::simulate

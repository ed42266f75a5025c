#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// size - 1 rounds around the ring; in the last one each member receives its own block.
void reduce_scatter_ring(Schedule& s, const Sizes& blocks) {
  for (int step = 1; step < s.size(); ++step) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member)
      round.push_back({member, (member + 1) % s.size(),
                       blocks[static_cast<std::size_t>((member + s.size() - step) % s.size())], true});
    s.round(round);
  }
}

}  // namespace ww::simulate

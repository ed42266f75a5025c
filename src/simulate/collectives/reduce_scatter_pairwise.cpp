#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// In round k a member sends the block of the one k above it there, and combines its own from the one k below
// (MPICH's).
void reduce_scatter_pairwise(Schedule& s, const Sizes& blocks) {
  for (int step = 1; step < s.size(); ++step) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member) {
      const int to = (member + step) % s.size();
      round.push_back({member, to, blocks[static_cast<std::size_t>(to)], true});
    }
    s.round(round);
  }
}

}  // namespace ww::simulate

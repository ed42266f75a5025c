#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// size - 1 rounds, each member hands on the block it got last.
void allgather_ring(Schedule& s, const Sizes& blocks) {
  for (int step = 0; step + 1 < s.size(); ++step) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member)
      round.push_back({member, (member + 1) % s.size(),
                       blocks[static_cast<std::size_t>((member - step + s.size()) % s.size())]});
    s.round(round);
  }
}

}  // namespace ww::simulate

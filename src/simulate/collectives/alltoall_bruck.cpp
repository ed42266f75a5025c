#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// In round k a member sends the blocks whose number has bit k set to the one 2^k above it.
void alltoall_bruck(Schedule& s, std::uint64_t bytes) {
  for (int distance = 1; distance < s.size(); distance *= 2) {
    std::uint64_t blocks = 0;
    for (int block = 1; block < s.size(); ++block)
      if ((block & distance) != 0) ++blocks;
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member)
      round.push_back({member, (member + distance) % s.size(), blocks * bytes});
    s.round(round);
  }
}

}  // namespace ww::simulate

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Members exchange what they have so far with the one at distance 1, 2, 4 ... where there is one (MPICH's).
void scan_recursive_doubling(Schedule& s, std::uint64_t bytes) {
  for (int distance = 1; distance < s.size(); distance *= 2) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member)
      if ((member ^ distance) < s.size()) round.push_back({member, member ^ distance, bytes, true});
    s.round(round);
  }
}

}  // namespace ww::simulate

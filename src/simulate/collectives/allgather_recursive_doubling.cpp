#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

void allgather_recursive_doubling(Schedule& s, const Sizes& blocks) {
  Sizes held = blocks;
  for (int distance = 1; distance < s.size(); distance *= 2) {
    std::vector<Transfer> round;
    Sizes after = held;
    for (int member = 0; member < s.size(); ++member) {
      const auto i = static_cast<std::size_t>(member), partner = static_cast<std::size_t>(member ^ distance);
      round.push_back({member, member ^ distance, held[i]});
      after[i] = held[i] + held[partner];
    }
    s.round(round);
    held = after;
  }
}

}  // namespace ww::simulate

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Dissemination: in each round a member sends to the one `distance` above it and hears from the one below.
void barrier_bruck(Schedule& s) {
  for (int distance = 1; distance < s.size(); distance *= 2) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member)
      round.push_back({member, (member + distance) % s.size(), 0});
    s.round(round);
  }
}

}  // namespace ww::simulate

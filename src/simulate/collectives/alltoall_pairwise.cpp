#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// In round k a member sends to the one k above it and receives from the one k below.
void alltoall_pairwise(Schedule& s, const Matrix& bytes) {
  for (int step = 1; step < s.size(); ++step) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member) {
      const int to = (member + step) % s.size();
      round.push_back({member, to, bytes[static_cast<std::size_t>(member)][static_cast<std::size_t>(to)]});
    }
    s.round(round);
  }
}

}  // namespace ww::simulate

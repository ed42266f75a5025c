#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// In round k a member exchanges with the one whose number differs in the bits of k (MPICH's pairwise exchange
// of a power of two).
void alltoall_exclusive_or(Schedule& s, const Matrix& bytes) {
  for (int step = 1; step < s.size(); ++step) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member) {
      const int partner = member ^ step;
      round.push_back(
          {member, partner, bytes[static_cast<std::size_t>(member)][static_cast<std::size_t>(partner)]});
    }
    s.round(round);
  }
}

}  // namespace ww::simulate

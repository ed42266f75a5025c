#include <algorithm>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Posted in portions of 32 partners, each complete before the next: receives from the next members on, sends
// to the previous ones (MPICH's scattered exchange; a member counts itself in the first portion).
void alltoall_scattered(Schedule& s, const Matrix& bytes, bool skips_empty) {
  constexpr int portion = 32;
  const int size = s.size();
  const auto at = [](int member) { return static_cast<std::size_t>(member); };
  for (int begin = 0; begin < size; begin += portion) {
    std::vector<Transfer> round;
    for (int step = std::max(1, begin); step < std::min(size, begin + portion); ++step)
      for (int to = 0; to < size; ++to) {
        const int from = (to + step) % size;
        if (!skips_empty || bytes[at(from)][at(to)] > 0) round.push_back({from, to, bytes[at(from)][at(to)]});
      }
    s.round(round);
  }
}

}  // namespace ww::simulate

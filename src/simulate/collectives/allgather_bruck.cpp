#include <algorithm>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// In each round a member sends what it holds, at most what the other lacks, to the one `distance` below it.
void allgather_bruck(Schedule& s, const Sizes& blocks) {
  const int size = s.size();
  for (int distance = 1; distance < size; distance *= 2) {
    const int count = std::min(distance, size - distance);
    std::vector<Transfer> round;
    for (int member = 0; member < size; ++member) {
      std::uint64_t bytes = 0;
      for (int i = 0; i < count; ++i) bytes += blocks[static_cast<std::size_t>((member + i) % size)];
      round.push_back({member, (member + size - distance) % size, bytes});
    }
    s.round(round);
  }
}

}  // namespace ww::simulate

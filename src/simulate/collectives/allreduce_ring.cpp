#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The vector in one block a member: size - 1 rounds that reduce around the ring, size - 1 that distribute.
void allreduce_ring(Schedule& s, std::uint64_t bytes) {
  const auto size = static_cast<std::uint64_t>(s.size());
  const auto block = [&](int number) {
    const auto n = static_cast<std::uint64_t>((number % s.size() + s.size()) % s.size());
    return bytes * (n + 1) / size - bytes * n / size;
  };
  for (int step = 0; step < 2 * (s.size() - 1); ++step) {
    std::vector<Transfer> round;
    for (int member = 0; member < s.size(); ++member)
      round.push_back({member, (member + 1) % s.size(), block(member - step), step + 1 < s.size()});
    s.round(round);
  }
}

}  // namespace ww::simulate

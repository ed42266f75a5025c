#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Members beyond a power of two hand everything to a neighbour and get their block back at the end; the
// others halve what they work on with the partner at half, a quarter ... of the members.
void reduce_scatter_recursive_halving(Schedule& s, const Sizes& blocks) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(s.size())));
  const int extra = s.size() - power;
  std::uint64_t total = 0;
  for (const std::uint64_t block : blocks) total += block;
  for (int i = 0; i < extra; ++i) s.transfer({2 * i, 2 * i + 1, total, true});
  const auto member_of = [&](int v) { return v < extra ? 2 * v + 1 : v + extra; };
  const auto work_of = [&](int v) {  // blocks of the members that v stands for
    std::uint64_t bytes = blocks[static_cast<std::size_t>(member_of(v))];
    return v < extra ? bytes + blocks[static_cast<std::size_t>(2 * v)] : bytes;
  };
  for (int distance = power / 2; distance > 0; distance /= 2) {
    std::vector<Transfer> round;
    for (int v = 0; v < power; ++v) {
      const int partner = v ^ distance;
      std::uint64_t bytes = 0;  // the half of the partner
      for (int i = partner / distance * distance; i < partner / distance * distance + distance; ++i)
        bytes += work_of(i);
      round.push_back({member_of(v), member_of(partner), bytes, true});
    }
    s.round(round);
  }
  for (int i = 0; i < extra; ++i) s.transfer({2 * i + 1, 2 * i, blocks[static_cast<std::size_t>(2 * i)]});
}

}  // namespace ww::simulate

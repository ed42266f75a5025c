#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Rabenseifner's allreduce as MPICH has it: reduce-scatter by recursive halving with the nearest first, then
// allgather by recursive doubling back. Of the first 2 * extra members the even ones hand everything to the
// odd ones and get the result back.
void allreduce_reduce_scatter_allgather(Schedule& s, std::uint64_t bytes) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(s.size())));
  const int extra = s.size() - power;
  const auto member_of = [&](int v) { return v < extra ? 2 * v + 1 : v + extra; };
  for (int i = 0; i < extra; ++i) s.transfer({2 * i, 2 * i + 1, bytes, true});
  const auto place = [&](int block) {
    return bytes * static_cast<std::uint64_t>(block) / static_cast<std::uint64_t>(power);
  };
  std::vector<int> first(static_cast<std::size_t>(power), 0);
  int width = power;
  const auto held = [&](int v) {
    const int from = first[static_cast<std::size_t>(v)];
    return place(from + width) - place(from);
  };
  const auto exchange = [&](int mask, bool reducing) {
    std::vector<Transfer> round;
    for (int v = 0; v < power; ++v)
      round.push_back({member_of(v), member_of(v ^ mask), held(reducing ? v ^ mask : v), reducing});
    s.round(round);
  };
  for (int mask = 1; mask < power; mask *= 2) {
    width /= 2;
    for (int v = 0; v < power; ++v)
      if ((v & mask) != 0) first[static_cast<std::size_t>(v)] += width;
    exchange(mask, true);
  }
  for (int mask = power / 2; mask > 0; mask /= 2) {
    exchange(mask, false);
    width *= 2;
    for (int v = 0; v < power; ++v)
      if ((v & mask) != 0) first[static_cast<std::size_t>(v)] -= width / 2;
  }
  for (int i = 0; i < extra; ++i) s.transfer({2 * i + 1, 2 * i, bytes});
}

}  // namespace ww::simulate

#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Reduce-scatter by recursive halving with the nearest first, then the parts up a binomial tree to the root
// (Rabenseifner's reduce as MPICH has it). Extra members: of the first 2 * extra the odd ones hand theirs to
// the even ones. A root among those takes the place of member 0, whose part it gets first.
void reduce_scatter_gather(Schedule& s, int root, std::uint64_t bytes) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(s.size())));
  const int extra = s.size() - power;
  const bool replaced = root < 2 * extra && root % 2 != 0;
  const auto member_of = [&](int v) { return v < extra ? 2 * v : v + extra; };
  for (int i = 0; i < extra; ++i) s.transfer({2 * i + 1, 2 * i, bytes, true});
  const auto place = [&](int block) {
    return bytes * static_cast<std::uint64_t>(block) / static_cast<std::uint64_t>(power);
  };
  // v works on blocks first[v] up to first[v] + width
  std::vector<int> first(static_cast<std::size_t>(power), 0);
  int width = power;
  const auto held = [&](int v) {
    const int from = first[static_cast<std::size_t>(v)];
    return place(from + width) - place(from);
  };
  for (int mask = 1; mask < power; mask *= 2) {
    width /= 2;
    for (int v = 0; v < power; ++v)
      if ((v & mask) != 0) first[static_cast<std::size_t>(v)] += width;
    std::vector<Transfer> round;
    for (int v = 0; v < power; ++v)
      round.push_back({member_of(v), member_of(v ^ mask), held(v ^ mask), true});
    s.round(round);
  }
  if (replaced) s.transfer({0, root, held(0)});
  const int root_v = replaced ? 0 : root < 2 * extra ? root / 2 : root - extra;
  const auto now_of = [&](int v) { return replaced && v == 0 ? root : member_of(v); };
  for (int mask = power / 2; mask > 0; mask /= 2) {
    // who has not sent yet shares the root's higher bits
    for (int v = 0; v < power; ++v)
      if (((v ^ root_v) & mask) != 0 && ((v ^ root_v) & ~(2 * mask - 1) & (power - 1)) == 0)
        s.transfer({now_of(v), now_of(v ^ mask), held(v)});
    width *= 2;
    for (int v = 0; v < power; ++v)
      if ((v & mask) != 0) first[static_cast<std::size_t>(v)] -= width / 2;
  }
}

}  // namespace ww::simulate

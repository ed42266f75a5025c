// A vector halved by the largest power of two of members, the nearest exchanging first (MPICH).
#pragma once
#include "patterns/pattern.hpp"

namespace ww::patterns {

struct Halving {
  Halving(int group, uint64_t vector) : members(largest_power_in(group)), bytes(vector) {}

  // What v works on after its exchanges with v ^ 1, v ^ 2 ... v ^ mask: the vector is so many blocks as there
  // are members, and each exchange leaves the lower or the upper half of them. Before any: mask 0.
  uint64_t held(int v, int mask) const {
    int first = 0, width = members;
    for (int bit = 1; bit <= mask; bit *= 2) {
      width /= 2;
      if ((v & bit) != 0) first += width;
    }
    return place(first + width) - place(first);
  }
  uint64_t place(int block) const {
    return bytes * static_cast<uint64_t>(block) / static_cast<uint64_t>(members);
  }

  int members;
  uint64_t bytes;
};

}  // namespace ww::patterns

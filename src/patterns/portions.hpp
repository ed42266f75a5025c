// An exchange of all with all, so many partners at once: receives from the next members on, sends to the previous
// ones; a member counts itself in the first portion.
#pragma once
#include "patterns/pattern.hpp"

namespace ww::patterns {

inline void exchange_in_portions(const Group& group, const Asked& asked, int portion) {
  const int size = group.size();
  for (int begin = 0; begin < size; begin += portion)
    group.round([&](const Take& take) {
      for (int step = begin > 0 ? begin : 1; step < least(size, begin + portion); ++step)
        for (int to = 0; to < size; ++to) {
          const int from = (to + step) % size;
          const uint64_t bytes = asked.pair(from, to, size);
          if (bytes > 0 || !asked.skips_empty()) take({from, to, bytes});
        }
    });
}

}  // namespace ww::patterns

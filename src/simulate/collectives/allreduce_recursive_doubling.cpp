#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Of the first 2 * extra members the even ones hand theirs to the odd ones and get the result back from them;
// the others exchange everything with the partner at distance 1, 2, 4 ...
void allreduce_recursive_doubling(Schedule& s, std::uint64_t bytes) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(s.size())));
  const int extra = s.size() - power;
  const auto member_of = [&](int virtual_rank) {
    return virtual_rank < extra ? 2 * virtual_rank + 1 : virtual_rank + extra;
  };
  for (int i = 0; i < extra; ++i) s.transfer({2 * i, 2 * i + 1, bytes, true});
  for (int distance = 1; distance < power; distance *= 2) {
    std::vector<Transfer> round;
    for (int v = 0; v < power; ++v) round.push_back({member_of(v), member_of(v ^ distance), bytes, true});
    s.round(round);
  }
  for (int i = 0; i < extra; ++i) s.transfer({2 * i + 1, 2 * i, bytes});
}

}  // namespace ww::simulate

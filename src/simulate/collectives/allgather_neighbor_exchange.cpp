#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Chen, Zhang, Zhang, Chen 2005: neighbours to the right and to the left in turn; the first round exchanges
// own blocks, every later one the two blocks got before.
void allgather_neighbor_exchange(Schedule& s, const Sizes& blocks) {
  const int size = s.size();
  const auto pair_bytes = [&](int even) {
    const auto first = static_cast<std::size_t>((even % size + size) % size);
    return blocks[first] + blocks[(first + 1) % blocks.size()];
  };
  std::vector<int> newest(static_cast<std::size_t>(size));  // the pair (even member) got last
  std::vector<Transfer> first;
  for (int member = 0; member < size; ++member) {
    first.push_back({member, member ^ 1, blocks[static_cast<std::size_t>(member)]});
    newest[static_cast<std::size_t>(member)] = member & ~1;
  }
  s.round(first);
  for (int step = 1; step < size / 2; ++step) {
    std::vector<Transfer> round;
    std::vector<int> after(newest.size());
    for (int member = 0; member < size; ++member) {
      const bool up = (member % 2 == 0) == (step % 2 == 0);
      const int partner = (member + (up ? 1 : size - 1)) % size;
      round.push_back({member, partner, pair_bytes(newest[static_cast<std::size_t>(member)])});
      after[static_cast<std::size_t>(partner)] = newest[static_cast<std::size_t>(member)];
    }
    s.round(round);
    newest = after;
  }
}

}  // namespace ww::simulate

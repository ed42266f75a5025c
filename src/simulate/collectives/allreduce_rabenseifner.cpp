#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Reduce-scatter by recursive halving, then allgather by recursive doubling (Thakur, Rabenseifner, Gropp
// 2005). Extra members: of the first 2 * extra, neighbours exchange halves, the odd one hands its half back
// and waits for the result.
void allreduce_rabenseifner(Schedule& s, std::uint64_t bytes) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(s.size())));
  const int extra = s.size() - power;
  const auto member_of = [&](int v) { return v < extra ? 2 * v : v + extra; };
  for (int i = 0; i < extra; ++i) {
    const int even = 2 * i, odd = 2 * i + 1;
    s.round({{odd, even, bytes / 2, true}, {even, odd, bytes - bytes / 2, true}});
    s.transfer({odd, even, bytes - bytes / 2});
  }
  // window[v]: bytes that v still works on; received: the same by step, for the way back
  std::vector<std::vector<std::uint64_t>> received;
  std::vector<std::uint64_t> window(static_cast<std::size_t>(power), bytes);
  for (int distance = 1; distance < power; distance *= 2) {
    auto& to_keep = received.emplace_back(static_cast<std::size_t>(power));
    std::vector<Transfer> round;
    for (int v = 0; v < power; ++v) {
      const auto i = static_cast<std::size_t>(v);
      const bool lower = v < (v ^ distance);
      const std::uint64_t half = window[i] / 2;
      to_keep[i] = lower ? half : window[i] - half;
      round.push_back({member_of(v), member_of(v ^ distance), window[i] - to_keep[i], true});
    }
    s.round(round);
    window = to_keep;
  }
  for (int distance = power / 2; distance > 0; distance /= 2) {
    std::vector<Transfer> round;
    for (int v = 0; v < power; ++v)
      round.push_back({member_of(v), member_of(v ^ distance), received.back()[static_cast<std::size_t>(v)]});
    s.round(round);
    received.pop_back();
  }
  for (int i = 0; i < extra; ++i) s.transfer({2 * i, 2 * i + 1, bytes});
}

}  // namespace ww::simulate

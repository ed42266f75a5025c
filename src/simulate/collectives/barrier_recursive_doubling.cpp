#include <bit>

#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Members beyond the largest power of two report to one below it first and are released by it at the end (by
// a synchronous send); those below exchange with the member at distance 1, 2, 4 ...
void barrier_recursive_doubling(Schedule& s) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(s.size())));
  const int extra = s.size() - power;
  std::vector<std::uint32_t> releases;
  for (int member = power; member < s.size(); ++member) {
    const std::uint32_t report = s.message({member, member - power, 0});
    const std::uint32_t release = s.message({member - power, member, 0}, true);
    s.receive(release);
    s.send(report);
    s.wait(member, {send_end(report), receive_end(release)});
    s.receive(report);
    s.wait(member - power, {receive_end(report)});
    releases.push_back(release);
  }
  for (int distance = 1; distance < power; distance *= 2) {
    std::vector<Transfer> round;
    for (int member = 0; member < power; ++member) round.push_back({member, member ^ distance, 0});
    s.round(round);
  }
  for (int member = 0; member < extra; ++member) {
    const std::uint32_t release = releases[static_cast<std::size_t>(member)];
    s.send(release);
    s.wait(member, {send_end(release)});
  }
}

}  // namespace ww::simulate

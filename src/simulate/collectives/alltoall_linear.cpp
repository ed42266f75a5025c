#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Everything posted at once: receives from the next member on, sends from the previous one down.
void alltoall_linear(Schedule& s, const Matrix& bytes, bool skips_empty) {
  const int size = s.size();
  const auto at = [](int member) { return static_cast<std::size_t>(member); };
  const auto skipped = [&](int from, int to) { return skips_empty && bytes[at(from)][at(to)] == 0; };
  std::vector<std::vector<std::uint32_t>> messages(at(size), std::vector<std::uint32_t>(at(size)));
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to)
      if (from != to && !skipped(from, to))
        messages[at(from)][at(to)] = s.message({from, to, bytes[at(from)][at(to)]});
  for (int member = 0; member < size; ++member) {
    std::vector<End> ends;
    for (int step = 1; step < size; ++step) {
      const int from = (member + step) % size;
      if (skipped(from, member)) continue;
      const std::uint32_t message = messages[at(from)][at(member)];
      s.receive(message);
      ends.push_back(receive_end(message));
    }
    for (int step = 1; step < size; ++step) {
      const int to = (member + size - step) % size;
      if (skipped(member, to)) continue;
      const std::uint32_t message = messages[at(member)][at(to)];
      s.send(message);
      ends.push_back(send_end(message));
    }
    s.wait(member, ends);
  }
}

}  // namespace ww::simulate

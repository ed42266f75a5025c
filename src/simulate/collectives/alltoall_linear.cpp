#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Everything posted at once: receives from the next member on, sends from the previous one down.
void alltoall_linear(Schedule& s, const Matrix& bytes) {
  const int size = s.size();
  const auto at = [](int member) { return static_cast<std::size_t>(member); };
  std::vector<std::vector<std::uint32_t>> messages(at(size), std::vector<std::uint32_t>(at(size)));
  for (int from = 0; from < size; ++from)
    for (int to = 0; to < size; ++to)
      if (from != to) messages[at(from)][at(to)] = s.message({from, to, bytes[at(from)][at(to)]});
  for (int member = 0; member < size; ++member) {
    std::vector<End> ends;
    for (int step = 1; step < size; ++step) {
      const std::uint32_t message = messages[at((member + step) % size)][at(member)];
      s.receive(message);
      ends.push_back(receive_end(message));
    }
    for (int step = 1; step < size; ++step) {
      const std::uint32_t message = messages[at(member)][at((member + size - step) % size)];
      s.send(message);
      ends.push_back(send_end(message));
    }
    s.wait(member, ends);
  }
}

}  // namespace ww::simulate

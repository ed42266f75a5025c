#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The root begins all sends at once.
void scatter_linear_nonblocking(Schedule& s, int root, const Sizes& blocks) {
  std::vector<End> sent;
  for (int member = 0; member < s.size(); ++member) {
    if (member == root) continue;
    const std::uint32_t message = s.message({root, member, blocks[static_cast<std::size_t>(member)]});
    s.send(message);
    sent.push_back(send_end(message));
    s.receive(message);
    s.wait(member, {receive_end(message)});
  }
  s.wait(root, sent);
}

}  // namespace ww::simulate

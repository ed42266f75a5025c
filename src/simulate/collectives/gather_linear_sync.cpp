#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The root asks one member after the other with an empty message and takes what comes; the two segments in
// which the library sends a block are one message here.
void gather_linear_sync(Schedule& s, int root, const Sizes& blocks) {
  std::vector<End> received;
  for (int member = 0; member < s.size(); ++member) {
    if (member == root) continue;
    const std::uint32_t block = s.message({member, root, blocks[static_cast<std::size_t>(member)]});
    s.receive(block);
    s.transfer({root, member, 0});
    s.send(block);
    s.wait(member, {send_end(block)});
    received.push_back(receive_end(block));
  }
  s.wait(root, received);
}

}  // namespace ww::simulate

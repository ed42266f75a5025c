#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Each member gets everything from its parent, then sends to all its children at once.
void bcast_tree(Schedule& s, const Tree& tree, std::uint64_t bytes) {
  std::vector<int> order{tree.root};
  for (std::size_t next = 0; next < order.size(); ++next) {
    const int parent = order[next];
    std::vector<End> sent;
    for (const int child : tree.children[static_cast<std::size_t>(parent)]) {
      const std::uint32_t message = s.message({parent, child, bytes});
      s.send(message);
      sent.push_back(send_end(message));
      s.receive(message);
      s.wait(child, {receive_end(message)});
      order.push_back(child);
    }
    s.wait(parent, sent);
  }
}

}  // namespace ww::simulate

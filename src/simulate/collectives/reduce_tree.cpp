#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Each member receives from all its children, then sends to its parent.
void reduce_tree(Schedule& s, const Tree& tree, std::uint64_t bytes) {
  std::vector<int> order{tree.root};
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const int child : tree.children[static_cast<std::size_t>(order[next])]) order.push_back(child);
  std::vector<std::vector<std::uint32_t>> from_children(static_cast<std::size_t>(s.size()));
  for (auto member = order.rbegin(); member != order.rend(); ++member) {
    const auto i = static_cast<std::size_t>(*member);
    std::vector<End> received;
    for (const std::uint32_t message : from_children[i]) {
      s.receive(message);
      received.push_back(receive_end(message));
    }
    s.wait(*member, received);
    if (tree.parent[i] < 0) continue;
    const std::uint32_t message = s.message({*member, tree.parent[i], bytes, true});
    s.send(message);
    s.wait(*member, {send_end(message)});
    from_children[static_cast<std::size_t>(tree.parent[i])].push_back(message);
  }
}

}  // namespace ww::simulate

// A fat tree of three levels of switches with k ports each (Al-Fares, Loukissas and Vahdat, "A scalable,
// commodity data center network architecture", SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation
// switches, k/2 nodes at each edge switch, (k/2)^2 core switches, of which aggregation switch a of every pod
// reaches a * k/2 .. + k/2 - 1. Which way up follows from the destination alone: its place at its edge switch
// picks the aggregation switch, its edge switch's place in the pod the core switch (D-mod-k).
#include <fmt/format.h>

#include "simulate/networks/kinds.hpp"
#include "simulate/networks/routed.hpp"

namespace ww::simulate {
namespace {

class FatTree : public Topology {
 public:
  explicit FatTree(int k) : half_(k / 2), switches_(k * half_) {}
  int nodes() const override { return 2 * half_ * half_ * half_; }
  std::uint32_t links() const override {
    return static_cast<std::uint32_t>(2 * nodes() + 4 * switches_ * half_);
  }
  void route(int from, int to, std::uint32_t, const SharedLinks&, std::vector<std::uint32_t>& into) override {
    const int from_edge = from / half_, to_edge = to / half_;  // of all pods
    const int from_pod = from_edge / half_, to_pod = to_edge / half_;
    const int aggregation = to % half_, core = to_edge % half_;
    into.push_back(node_out(from));
    if (from_edge != to_edge) {
      into.push_back(link(edge_up, from_edge, aggregation));
      if (from_pod != to_pod) {
        into.push_back(link(aggregation_up, from_pod * half_ + aggregation, core));
        into.push_back(link(aggregation_down, to_pod * half_ + aggregation, core));
      }
      into.push_back(link(edge_down, to_edge, aggregation));
    }
    into.push_back(node_in(to));
  }
  std::string name_of(std::uint32_t number) const override {
    const int all = static_cast<int>(number) - 2 * nodes(), port = all % half_;
    const int level = all / half_ / switches_, place = all / half_ % switches_;
    // Of an edge switch the ports up are its pod's aggregation switches; of an aggregation switch core switches of its own.
    const std::string edge = fmt::format("edge switch {}", place),
                      aggregation = fmt::format("aggregation switch {}", place);
    switch (level) {
      case edge_up:
        return fmt::format("{} to aggregation switch {}", edge, place / half_ * half_ + port);
      case edge_down:
        return fmt::format("aggregation switch {} to {}", place / half_ * half_ + port, edge);
      case aggregation_up:
        return fmt::format("{} to core switch {}", aggregation, place % half_ * half_ + port);
      default:
        return fmt::format("core switch {} to {}", place % half_ * half_ + port, aggregation);
    }
  }
  std::string says() const override {
    return fmt::format("a fat tree of {} nodes (k = {}), the way up chosen by the destination", nodes(),
                       2 * half_);
  }

 private:
  enum Level { edge_up, edge_down, aggregation_up, aggregation_down };
  std::uint32_t link(Level level, int number, int port) const {
    return static_cast<std::uint32_t>(2 * nodes() + (level * switches_ + number) * half_ + port);
  }
  int half_, switches_;  // switches of a level
};

int arity_of(NetworkKeys& keys) {
  read_link_keys(keys);
  if (!keys.has("k"))
    keys.report("a fat tree of unknown size", "say it: fat-tree:k=8 for 8 ports a switch, 128 nodes");
  const int k = keys.whole("k", 2, 2, 128);
  if (k % 2 != 0)
    keys.report(fmt::format("k={} is odd", k), "half of a switch's ports go down: an even number");
  return k;
}

}  // namespace

const NetworkKind fat_tree_kind{
    "fat-tree",
    "k=8; k^3/4 nodes, three levels of switches with k ports",
    with_link_keys({"k"}),
    nullptr,
    [](NetworkKeys& keys) -> Result<void> {
      arity_of(keys);
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      return make_routed(keys, context, std::make_unique<FatTree>(arity_of(keys)));
    }};

}  // namespace ww::simulate

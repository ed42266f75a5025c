// A hypercube with e-cube routing (hypercube/ecube.hpp). The nodes of the NCUBE, which store and forward a
// message at a price of their own, are src/simulate/hypercube, without traces.
#include <fmt/format.h>

#include "simulate/hypercube/ecube.hpp"
#include "simulate/networks/kinds.hpp"
#include "simulate/networks/routed.hpp"

namespace ww::simulate {
namespace {

class Hypercube : public Topology {
 public:
  explicit Hypercube(int dimensions) : dimensions_(dimensions) {}
  int nodes() const override { return 1 << dimensions_; }
  std::uint32_t links() const override {
    return static_cast<std::uint32_t>(nodes()) * (2 + static_cast<std::uint32_t>(dimensions_));
  }
  void route(int from, int to, std::uint32_t, const SharedLinks&, std::vector<std::uint32_t>& into) override {
    into.push_back(node_out(from));
    for (int at = from; at != to; at = hypercube::next_node(at, to))
      into.push_back(
          static_cast<std::uint32_t>(2 * nodes() + at * dimensions_ + hypercube::next_dimension(at, to)));
    into.push_back(node_in(to));
  }
  std::string says() const override {
    return fmt::format("a hypercube of {} dimensions with e-cube routing", dimensions_);
  }

 private:
  int dimensions_;
};

int read(NetworkKeys& keys) {
  read_link_keys(keys);
  if (!keys.has("dims")) keys.report("a hypercube of unknown size", "say it: hypercube:dims=6");
  return keys.whole("dims", 1, 1, 20);
}

}  // namespace

const NetworkKind hypercube_kind{
    "hypercube",
    "dims=6; a hypercube with e-cube routing",
    with_link_keys({"dims"}),
    nullptr,
    [](NetworkKeys& keys) -> Result<void> {
      read(keys);
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      return make_routed(keys, context, std::make_unique<Hypercube>(read(keys)));
    }};

}  // namespace ww::simulate

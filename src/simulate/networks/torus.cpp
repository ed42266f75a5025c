// A torus of any number of dimensions, routed in the order of its dimensions, each the shorter way round,
// half way round in the direction of rising numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulate/networks/kinds.hpp"
#include "simulate/networks/routed.hpp"

namespace ww::simulate {
namespace {

class Torus : public Topology {
 public:
  explicit Torus(std::vector<int> sizes) : sizes_(std::move(sizes)) {
    for (const int size : sizes_) nodes_ *= size;
  }
  int nodes() const override { return nodes_; }
  std::uint32_t links() const override {
    return static_cast<std::uint32_t>(nodes_) * (2 + 2 * static_cast<std::uint32_t>(sizes_.size()));
  }
  void route(int from, int to, std::uint32_t, const SharedLinks&, std::vector<std::uint32_t>& into) override {
    into.push_back(node_out(from));
    int stride = 1, at = from;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const int size = sizes_[d], here = from / stride % size, there = to / stride % size;
      const int up = (there - here + size) % size;
      const bool rising = 2 * up <= size;
      int place = here;
      for (int steps = rising ? up : size - up; steps > 0; --steps) {
        into.push_back(link(at, d, rising));
        const int next = (place + (rising ? 1 : size - 1)) % size;
        at += (next - place) * stride;
        place = next;
      }
      stride *= size;
    }
    into.push_back(node_in(to));
  }
  std::string name_of(std::uint32_t number) const override {
    const std::uint32_t all = number - static_cast<std::uint32_t>(2 * nodes_);
    const int node = static_cast<int>(all / 2 / sizes_.size());
    const std::size_t dimension = all / 2 % sizes_.size();
    int stride = 1;
    for (std::size_t d = 0; d < dimension; ++d) stride *= sizes_[d];
    const int size = sizes_[dimension], place = node / stride % size;
    const int next = (place + (all % 2 == 1 ? 1 : size - 1)) % size;
    return fmt::format("node {} to node {}, dimension {}", node, node + (next - place) * stride, dimension);
  }
  std::string says() const override {
    return fmt::format("a torus of {} nodes, routed in the order of its dimensions",
                       fmt::join(sizes_, " x "));
  }

 private:
  std::uint32_t link(int node, std::size_t dimension, bool rising) const {
    return static_cast<std::uint32_t>(2 * nodes_) +
           2 * (static_cast<std::uint32_t>(node) * static_cast<std::uint32_t>(sizes_.size()) +
                static_cast<std::uint32_t>(dimension)) +
           rising;
  }
  std::vector<int> sizes_;
  int nodes_ = 1;
};

constexpr double largest = 1 << 20;

std::vector<int> sides_of(NetworkKeys& keys) {
  read_link_keys(keys);
  if (!keys.has("dims")) keys.report("a torus of unknown size", "say it: torus:dims=4x4x4");
  const std::vector<int> sizes = keys.sizes("dims", 1);
  double nodes = 1;
  for (const int size : sizes) nodes *= size;
  if (nodes > largest) keys.report("a torus of over a million nodes", "a smaller one");
  return sizes;
}

}  // namespace

const NetworkKind torus_kind{
    "torus",
    "dims=4x4x4; a torus routed in the order of its dimensions",
    with_link_keys({"dims"}),
    nullptr,
    [](NetworkKeys& keys) -> Result<void> {
      sides_of(keys);
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      return make_routed(keys, context, std::make_unique<Torus>(sides_of(keys)));
    }};

}  // namespace ww::simulate

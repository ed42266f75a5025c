// A dragonfly (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA
// 2008): the routers of a group are joined all to all, and one link leads from each group to each other,
// spread evenly over its routers. The minimal way is local, global, local. With routing=adaptive a message
// looks when it starts at the minimal way and at one through another group, picked at random, and takes the
// minimal one unless the number of messages on its fullest link times its length is larger (UGAL with global
// knowledge).
#include <fmt/format.h>

#include "simulate/networks/kinds.hpp"
#include "simulate/networks/routed.hpp"

namespace ww::simulate {
namespace {

struct Shape {
  int groups = 1, routers = 1, hosts = 1;  // routers a group, hosts a router
  bool adaptive = false;
  double nodes() const { return static_cast<double>(groups) * routers * hosts; }
};

class Dragonfly : public Topology {
 public:
  Dragonfly(const Shape& shape, std::uint64_t seed)
      : shape_(shape), seed_(seed), globals_((shape.groups - 2 + shape.routers) / shape.routers) {}
  int nodes() const override { return shape_.groups * shape_.routers * shape_.hosts; }
  std::uint32_t links() const override {
    return static_cast<std::uint32_t>(2 * nodes() + shape_.groups * shape_.routers * shape_.routers +
                                      shape_.groups * shape_.groups);
  }
  void route(int from, int to, std::uint32_t number, const SharedLinks& shared,
             std::vector<std::uint32_t>& into) override {
    const int from_router = from / shape_.hosts, to_router = to / shape_.hosts;  // of all groups
    const int from_group = from_router / shape_.routers, to_group = to_router / shape_.routers;
    into.push_back(node_out(from));
    const std::size_t begins = into.size();
    go(from_router, to_router, into);
    if (shape_.adaptive && from_group != to_group && shape_.groups > 2) {
      other_.clear();
      const int via = other_group(number, from_group, to_group);
      const int entered = via * shape_.routers + exit_of(via, from_group);
      go(from_router, entered, other_);
      go(entered, to_router, other_);
      const std::vector<std::uint32_t> minimal(into.begin() + static_cast<std::ptrdiff_t>(begins),
                                               into.end());
      if (fullness(minimal, shared) > fullness(other_, shared)) {
        into.resize(begins);
        into.insert(into.end(), other_.begin(), other_.end());
        ++detours_;
      }
    }
    into.push_back(node_in(to));
  }
  std::string name_of(std::uint32_t number) const override {
    const int all = static_cast<int>(number) - 2 * nodes(), routers = shape_.groups * shape_.routers;
    const int among_groups = all - routers * shape_.routers;
    if (among_groups >= 0)
      return fmt::format("group {} to group {}", among_groups / shape_.groups, among_groups % shape_.groups);
    const int from = all / shape_.routers;
    return fmt::format("router {} to router {}", from,
                       from / shape_.routers * shape_.routers + all % shape_.routers);
  }
  std::string says() const override {
    return fmt::format("a dragonfly of {} groups of {} routers with {} nodes each, {} routing", shape_.groups,
                       shape_.routers, shape_.hosts, shape_.adaptive ? "adaptive" : "minimal");
  }
  std::vector<std::pair<std::string, double>> counts() const override {
    return {{"detours", static_cast<double>(detours_)}};
  }

 private:
  // Which router of `group` has the link to `other`.
  int exit_of(int group, int other) const {
    return (other - group - 1 + shape_.groups) % shape_.groups / globals_;
  }
  void go_within(int from_router, int to_router, std::vector<std::uint32_t>& into) const {
    if (from_router == to_router) return;
    into.push_back(
        static_cast<std::uint32_t>(2 * nodes() + from_router * shape_.routers + to_router % shape_.routers));
  }
  void go(int from_router, int to_router, std::vector<std::uint32_t>& into) const {
    const int from_group = from_router / shape_.routers, to_group = to_router / shape_.routers;
    if (from_group != to_group) {
      const int leaves = from_group * shape_.routers + exit_of(from_group, to_group);
      go_within(from_router, leaves, into);
      into.push_back(static_cast<std::uint32_t>(2 * nodes() +
                                                shape_.groups * shape_.routers * shape_.routers +
                                                from_group * shape_.groups + to_group));
      from_router = to_group * shape_.routers + exit_of(to_group, from_group);
    }
    go_within(from_router, to_router, into);
  }
  static double fullness(const std::vector<std::uint32_t>& way, const SharedLinks& shared) {
    std::uint32_t most = 0;
    for (const std::uint32_t link : way) most = std::max(most, shared.flows_on(link));
    return static_cast<double>(most) * static_cast<double>(way.size());
  }
  int other_group(std::uint32_t number, int from_group, int to_group) const {
    std::uint64_t x =
        (number + 1) * 0x9e3779b97f4a7c15u ^ seed_ * 0xbf58476d1ce4e5b9u;  // SplitMix64's mixing
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    int group = static_cast<int>(x % static_cast<std::uint64_t>(shape_.groups - 2));
    for (const int taken : {std::min(from_group, to_group), std::max(from_group, to_group)})
      group += group >= taken;
    return group;
  }

  Shape shape_;
  std::uint64_t seed_;
  int globals_;  // links to other groups of a router, at most
  std::vector<std::uint32_t> other_;
  std::uint64_t detours_ = 0;
};

Shape shape_of(NetworkKeys& keys) {
  read_link_keys(keys);
  for (const char* key : {"groups", "routers", "hosts"})
    if (!keys.has(key))
      keys.report(fmt::format("a dragonfly without {}=", key),
                  "say it: dragonfly:groups=9:routers=4:hosts=2");
  Shape shape;
  shape.groups = keys.whole("groups", 1, 1, 4096);
  shape.routers = keys.whole("routers", 1, 1, 1024);
  shape.hosts = keys.whole("hosts", 1, 1, 1024);
  shape.adaptive = keys.word("routing", {"minimal", "adaptive"}) == "adaptive";
  if (shape.nodes() > 1 << 20) keys.report("a dragonfly of over a million nodes", "a smaller one");
  return shape;
}

}  // namespace

const NetworkKind dragonfly_kind{
    "dragonfly",
    "groups=9:routers=4:hosts=2; routing=minimal or adaptive",
    with_link_keys({"groups", "routers", "hosts", "routing"}),
    [](const NetworkSpec& spec) {
      return NetworkKeys(spec).word("routing", {"minimal", "adaptive"}) == "adaptive";
    },
    [](NetworkKeys& keys) -> Result<void> {
      shape_of(keys);
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      return make_routed(keys, context, std::make_unique<Dragonfly>(shape_of(keys), context.options.seed));
    }};

}  // namespace ww::simulate

// A hypercube with e-cube routing (hypercube/ecube.hpp), in three ways. forward=flow: messages are flows that
// share links. forward=store: nodes as the NCUBE's (S1), which store a message whole before they send it on;
// each directed channel carries one message at a time, first come first served, for the E of the model.
// forward=node: so too, and a message takes S from the computation of the node that sends it, R from that of
// the receiver, R + S from that of every node between. A node's memory is never short here;
// src/simulate/hypercube knows that too, without traces.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "simulate/hypercube/ecube.hpp"
#include "simulate/networks/kinds.hpp"
#include "simulate/networks/routed.hpp"

namespace ww::simulate {
namespace {

// A node's channels are numbered by their dimension, and all of a node before those of the next.
std::string name_of_channel(int channel, int dimensions) {
  const int node = channel / dimensions;
  return fmt::format("node {} to node {}", node, node ^ 1 << channel % dimensions);
}

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
  std::string name_of(std::uint32_t link) const override {
    return name_of_channel(static_cast<int>(link) - 2 * nodes(), dimensions_);
  }
  std::string says() const override {
    return fmt::format("a hypercube of {} dimensions with e-cube routing", dimensions_);
  }

 private:
  int dimensions_;
};

class StoringNodes final : public Network {
 public:
  StoringNodes(const NetworkContext& context, int dimensions, bool nodes_pay)
      : program_(context.program),
        costs_(context.costs),
        events_(context.events),
        listener_(context.listener),
        dimensions_(dimensions),
        nodes_pay_(nodes_pay),
        channels_(static_cast<std::size_t>(dimensions) << dimensions) {}

  void start(std::uint32_t message, double now_s) override {
    go_on(message, node_of(source_of(message)), now_s);
    if (nodes_pay_) listener_.interrupted(node_of(source_of(message)), costs_.load_of(message).send_s);
  }

  bool takes_time_of_hosts() const override { return nodes_pay_; }

  void start_control(EventKind kind, std::uint32_t message, double now_s) override {
    const ProgramMessage& m = program_.messages[message];
    const int hops = hypercube::distance(node_of(m.source), node_of(m.destination));
    events_.add(now_s + costs_.of(message).control_s * hops,
                kind == EventKind::request ? m.destination : m.source, kind, message);
  }

  // A channel has carried what was first on it.
  void handle(const Event& event) override {
    Channel& channel = channels_[event.target];
    const std::uint32_t message = channel.waiting.front();
    channel.waiting.pop_front();
    if (!channel.waiting.empty()) carry(event.target, event.time_s);
    const int from = static_cast<int>(event.target) / dimensions_;
    const int at = from ^ 1 << static_cast<int>(event.target) % dimensions_;
    if (from == node_of(source_of(message))) listener_.left(message, event.time_s);
    if (nodes_pay_) listener_.interrupted(at, costs_.load_of(message).receive_s);
    if (at == node_of(program_.messages[message].destination))
      listener_.arrived(message, event.time_s);
    else
      forward(message, at, event.time_s);
  }

  std::vector<std::string> assumptions() const override {
    return {fmt::format(
                "the hosts are the nodes of a hypercube of {} dimensions with e-cube routing, host i of the "
                "trace node i; every node on its way stores a message whole, and each channel carries one "
                "at a time for what the model says between neighbours",
                dimensions_),
            nodes_pay_
                ? "a message takes S from the computation of the node that sends it, R from that of the one "
                  "that receives it, both of every node between (nothing from one that waits); memory is "
                  "not contended"
                : "forwarding takes nothing from the computation of the nodes between (forward=node does), "
                  "and memory is not contended"};
  }
  std::vector<std::pair<std::string, double>> counts() const override {
    return {{"crossings", static_cast<double>(crossings_)},
            {"forwarded", static_cast<double>(forwarded_)},
            {"longest_queue", static_cast<double>(longest_queue_)}};
  }

  std::vector<ChannelUse> channels() const override {
    std::vector<ChannelUse> used;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const Channel& channel = channels_[i];
      if (channel.crossed > 0)
        used.push_back({name_of_channel(static_cast<int>(i), dimensions_), channel.crossed, channel.bytes,
                        channel.busy_s, 0});
    }
    return used;
  }

 private:
  struct Channel {
    std::deque<std::uint32_t> waiting;  // the first is being carried
    std::uint64_t crossed = 0;
    double bytes = 0, busy_s = 0;
  };
  std::int32_t source_of(std::uint32_t message) const { return program_.messages[message].source; }
  int node_of(std::int32_t rank) const { return program_.ranks[static_cast<std::size_t>(rank)].host; }
  void forward(std::uint32_t message, int at, double now_s) {
    ++forwarded_;
    go_on(message, at, now_s);
    if (nodes_pay_) listener_.interrupted(at, costs_.load_of(message).send_s);
  }
  void go_on(std::uint32_t message, int at, double now_s) {
    const int to = node_of(program_.messages[message].destination);
    const auto number = static_cast<std::uint32_t>(at * dimensions_ + hypercube::next_dimension(at, to));
    Channel& channel = channels_[number];
    channel.waiting.push_back(message);
    longest_queue_ = std::max(longest_queue_, channel.waiting.size());
    if (channel.waiting.size() == 1) carry(number, now_s);
  }
  void carry(std::uint32_t number, double now_s) {
    ++crossings_;
    Channel& channel = channels_[number];
    const std::uint32_t message = channel.waiting.front();
    const MessageCost& cost = costs_.of(message);
    ++channel.crossed;
    channel.bytes += static_cast<double>(program_.messages[message].bytes);
    channel.busy_s += cost.head_s + cost.port_s;
    events_.add(now_s + cost.head_s + cost.port_s, program_.messages[message].destination, EventKind::network,
                number);
  }

  const Program& program_;
  const ReplayCosts& costs_;
  EventQueue& events_;
  Listener& listener_;
  int dimensions_;
  bool nodes_pay_;
  std::vector<Channel> channels_;
  std::uint64_t crossings_ = 0, forwarded_ = 0;
  std::size_t longest_queue_ = 0;
};

std::string forwards(NetworkKeys& keys) {
  return keys.word("forward", {"flow", "store", "node"});
}

int cube_of(NetworkKeys& keys) {
  read_link_keys(keys);
  if (forwards(keys) != "flow" && (keys.has("link") || keys.has("hop")))
    keys.report("link or hop of nodes that store and forward",
                "their channels are the model's: leave them out");
  if (!keys.has("dims")) keys.report("a hypercube of unknown size", "say it: hypercube:dims=6");
  return keys.whole("dims", 1, 1, 20);
}

}  // namespace

const NetworkKind hypercube_kind{
    "hypercube",
    "dims=6; a hypercube with e-cube routing; forward=flow, store or node",
    with_link_keys({"dims", "forward"}),
    nullptr,
    [](NetworkKeys& keys) -> Result<void> {
      cube_of(keys);
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      const int dimensions = cube_of(keys);
      if (forwards(keys) == "flow")
        return make_routed(keys, context, std::make_unique<Hypercube>(dimensions));
      WW_CHECK(keys.check());
      WW_CHECK(enough_nodes(context, 1 << dimensions));
      return std::make_unique<StoringNodes>(context, dimensions, forwards(keys) == "node");
    }};

}  // namespace ww::simulate

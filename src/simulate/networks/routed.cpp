#include "simulate/networks/routed.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/units.hpp"

namespace ww::simulate {
namespace {

constexpr std::int32_t last_of_its_time = std::numeric_limits<std::int32_t>::max();

class Routed final : public Network {
 public:
  Routed(const NetworkContext& context, std::unique_ptr<Topology> topology, double link_bytes_per_s,
         double hop_s)
      : program_(context.program),
        costs_(context.costs),
        events_(context.events),
        listener_(context.listener),
        topology_(std::move(topology)),
        hop_s_(hop_s),
        link_bytes_per_s_(link_bytes_per_s),
        shared_(std::vector<double>(topology_->links(), link_bytes_per_s)) {}

  void start(std::uint32_t message, double now_s) override {
    find_route(message);
    const WireFacts& wire = costs_.wire();
    const double bytes = wire.seconds_per_byte > 0 ? costs_.of(message).port_s / wire.seconds_per_byte : 0;
    const SharedLinks::Flow flow = shared_.begin(route_, bytes, now_s);
    if (flow >= message_of_.size()) {
      message_of_.resize(flow + 1);
      switches_of_.resize(flow + 1);
    }
    message_of_[flow] = message;
    switches_of_[flow] = switches();
    ++flows_;
    bytes_ += bytes;
    links_crossed_ += static_cast<double>(route_.size());
    settle_later(now_s);
  }

  void start_control(EventKind kind, std::uint32_t message, double now_s) override {
    const ProgramMessage& m = program_.messages[message];
    find_route(message);
    events_.add(now_s + costs_.of(message).control_s + hop_s_ * switches(),
                kind == EventKind::request ? m.destination : m.source, kind, message);
  }

  void handle(const Event& event) override {
    if (event.kind == EventKind::tail) {
      listener_.arrived(event.target, event.time_s);
      return;
    }
    if (event.target == settling) {
      settle_posted_ = false;
      shared_.settle(event.time_s);
      promise();
      return;
    }
    if (event.stamp != stamp_) return;
    promised_s_ = never;
    while (shared_.next_end_s() <= event.time_s) {
      const SharedLinks::Flow flow = shared_.take_ended();
      const std::uint32_t message = message_of_[flow];
      const double arrives_s = event.time_s + costs_.of(message).head_s + hop_s_ * switches_of_[flow];
      events_.add(arrives_s, program_.messages[message].destination, EventKind::tail, message);
      listener_.left(message, event.time_s);
    }
    settle_later(event.time_s);
  }

  std::vector<std::string> assumptions() const override {
    return {fmt::format("the hosts are joined by {}; host i of the trace is node i", topology_->says()),
            fmt::format(
                "messages are flows that share links of {} by max-min fairness, with their headers; their "
                "latency is the model's{}",
                show_rate(link_bytes_per_s_),
                hop_s_ > 0 ? fmt::format(" and {} for every switch", show_time(hop_s_))
                           : std::string(", whatever the number of switches (hop= adds some for each)")),
            "requests and replies of rendezvous messages are not held up by data"};
  }

  std::vector<std::pair<std::string, double>> counts() const override {
    std::vector<std::pair<std::string, double>> out{
        {"messages", static_cast<double>(flows_)},
        {"bytes", bytes_},
        {"mean_links", flows_ ? links_crossed_ / static_cast<double>(flows_) : 0}};
    for (const auto& count : topology_->counts()) out.push_back(count);
    return out;
  }

  std::vector<ChannelUse> channels() const override {
    std::vector<ChannelUse> used;
    const auto own = static_cast<std::uint32_t>(2 * topology_->nodes());
    for (std::uint32_t link = 0; link < topology_->links(); ++link) {
      const SharedLinks::Use& use = shared_.use(link);
      if (use.flows == 0) continue;
      used.push_back({link < own ? Topology::name_of_own(link) : topology_->name_of(link), use.flows,
                      use.bytes, use.busy_s, link_bytes_per_s_});
    }
    return used;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  enum Target : std::uint32_t { settling, ending };

  void find_route(std::uint32_t message) {
    const ProgramMessage& m = program_.messages[message];
    const auto node = [&](std::int32_t rank) { return program_.ranks[static_cast<std::size_t>(rank)].host; };
    route_.clear();
    topology_->route(node(m.source), node(m.destination), message, shared_, route_);
  }
  double switches() const { return static_cast<double>(route_.size()) - 1; }

  // Once for all that begins and ends at this instant.
  void settle_later(double now_s) {
    if (settle_posted_) return;
    settle_posted_ = true;
    events_.add(now_s, last_of_its_time, EventKind::network, settling);
  }
  void promise() {
    const double next_s = shared_.next_end_s();
    if (next_s == promised_s_ || next_s == never) return;
    promised_s_ = next_s;
    events_.add(next_s, -1, EventKind::network, ending, ++stamp_);
  }

  const Program& program_;
  const ReplayCosts& costs_;
  EventQueue& events_;
  Listener& listener_;
  std::unique_ptr<Topology> topology_;
  double hop_s_, link_bytes_per_s_;
  SharedLinks shared_;
  std::vector<std::uint32_t> message_of_;  // by flow
  std::vector<double> switches_of_;
  std::vector<std::uint32_t> route_;
  bool settle_posted_ = false;
  double promised_s_ = never;
  std::uint32_t stamp_ = 0;
  std::uint64_t flows_ = 0;
  double bytes_ = 0, links_crossed_ = 0;
};

}  // namespace

std::vector<std::string> with_link_keys(std::vector<std::string> keys) {
  keys.insert(keys.end(), {"link", "hop"});
  return keys;
}

Result<void> enough_nodes(const NetworkContext& context, int nodes) {
  const std::size_t hosts = context.program.hosts.size();
  if (hosts <= static_cast<std::size_t>(nodes)) return {};
  return fail(fmt::format("the trace has {} hosts and the network {} nodes", hosts, nodes),
              fmt::format("network '{}'", context.options.network->text), "ask for a larger network");
}

void read_link_keys(NetworkKeys& keys) {
  keys.rate_bytes_per_s("link");
  keys.time_s("hop");
}

Result<std::unique_ptr<Network>> make_routed(NetworkKeys& keys, const NetworkContext& context,
                                             std::unique_ptr<Topology> topology) {
  const double model_s = context.costs.wire().seconds_per_byte;
  const double link = keys.rate_bytes_per_s("link").value_or(model_s > 0 ? 1 / model_s : 1e30);
  const double hop_s = keys.time_s("hop").value_or(0);
  WW_CHECK(keys.check());
  WW_CHECK(enough_nodes(context, topology->nodes()));
  return std::make_unique<Routed>(context, std::move(topology), link, hop_s);
}

}  // namespace ww::simulate

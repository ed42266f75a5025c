#include "simulate/hypercube/channels.hpp"

#include <algorithm>
#include <utility>

#include "simulate/hypercube/ecube.hpp"

namespace ww::simulate::hypercube {

Channels::Channels(Agenda& agenda, const ::ww::Costs& costs, const Memory& memory,
                   std::vector<Processor>& processors, int dimensions, Arrived arrived)
    : agenda_(agenda),
      costs_(costs),
      memory_(memory),
      processors_(processors),
      dimensions_(dimensions),
      arrived_(std::move(arrived)),
      channels_(processors.size() * static_cast<std::size_t>(dimensions)),
      hops_(channels_.size()),
      forwarded_(processors.size()) {}

void Channels::start(const NodeMessage& message) {
  WW_INVARIANT(message.from != message.to);
  ask(message.from, message);
}

std::size_t Channels::channel_of(int node, int dimension) const {
  return static_cast<std::size_t>(node) * static_cast<std::size_t>(dimensions_) +
         static_cast<std::size_t>(dimension);
}

void Channels::ask(int at, const NodeMessage& message) {
  const auto channel = channel_of(at, next_dimension(at, message.to));
  hops_[channel].from = at;
  hops_[channel].to = next_node(at, message.to);
  channels_[channel].waiting.push_back(message);
  if (!channels_[channel].busy) begin(channel);
}

double Channels::exchange_s(double bytes) const {
  return std::clamp(costs_.E.at(0), 0.0, costs_.E.at(bytes));
}

void Channels::begin(std::size_t channel) {
  channels_[channel].busy = true;
  Hop& hop = hops_[channel];
  hop.began_s = agenda_.now_s();
  hop.late_s = 0;
  hop.unserved = 2;
  const double bytes = channels_[channel].waiting.front().bytes,
               moving_s = costs_.E.at(bytes) - exchange_s(bytes);
  // what the memory takes while the bytes move is no service
  const double shares = memory_.contended() ? moving_s : 0;
  serve(channel, hop.from, std::max(0.0, costs_.S.at(bytes) - memory_.send_share * shares));
  serve(channel, hop.to, std::max(0.0, costs_.R.at(bytes) - memory_.receive_share * shares));
}

// What does not fit into the exchange is served behind it and holds nothing up.
void Channels::serve(std::size_t channel, int node, double service_s) {
  const double bytes = channels_[channel].waiting.front().bytes,
               during_s = std::min(service_s, exchange_s(bytes));
  processors_[node].interrupt(during_s, [this, channel, during_s, bytes] {
    Hop& hop = hops_[channel];
    hop.late_s = std::max(hop.late_s, agenda_.now_s() - hop.began_s - during_s);
    if (--hop.unserved > 0) return;
    const double moves_s = hop.began_s + exchange_s(bytes) + hop.late_s;
    agenda_.at(std::max(agenda_.now_s(), moves_s), [this, channel] { move(channel); });
  });
  if (service_s > during_s) processors_[node].interrupt(service_s - during_s, {});
}

void Channels::move(std::size_t channel) {
  Hop& hop = hops_[channel];
  const double bytes = channels_[channel].waiting.front().bytes;
  activate(hop, 1);
  hop.moving = true;
  hop.left_s = costs_.E.at(bytes) - exchange_s(bytes);
  hop.since_s = agenda_.now_s();
  plan(hop.from);
}

void Channels::activate(const Hop& hop, int more) {
  settle(hop.from);
  settle(hop.to);
  processors_[hop.from].channels(0, more);
  processors_[hop.to].channels(more, 0);
  plan(hop.from);
  plan(hop.to);
}

void Channels::settle(int node) {
  for (int dimension = 0; dimension < dimensions_; ++dimension) {
    Hop& hop = hops_[channel_of(node, dimension)];
    const double passed_s = agenda_.now_s() - hop.since_s;
    hop.since_s = agenda_.now_s();
    if (hop.moving) hop.left_s = std::max(0.0, hop.left_s - passed_s * processors_[node].sending_speed());
  }
}

void Channels::plan(int node) {
  for (int dimension = 0; dimension < dimensions_; ++dimension) {
    const auto channel = channel_of(node, dimension);
    Hop& hop = hops_[channel];
    if (!hop.moving) continue;
    const std::uint64_t mine = ++hop.plan;
    agenda_.at(agenda_.now_s() + hop.left_s / processors_[node].sending_speed(), [this, channel, mine] {
      if (hops_[channel].plan == mine) end(channel);
    });
  }
}

void Channels::end(std::size_t channel) {
  hops_[channel].moving = false;
  ++hops_[channel].plan;
  const Hop hop = hops_[channel];
  activate(hop, -1);
  const NodeMessage message = channels_[channel].waiting.front();
  channels_[channel].waiting.pop_front();
  channels_[channel].busy = false;
  if (!channels_[channel].waiting.empty()) begin(channel);
  if (hop.to == message.to) {
    arrived_(message);
    return;
  }
  ++forwarded_[hop.to];
  ask(hop.to, message);
}

}  // namespace ww::simulate::hypercube

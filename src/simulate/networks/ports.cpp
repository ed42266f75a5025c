#include "simulate/networks/ports.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/networks/kinds.hpp"

namespace ww::simulate {

// Requests so far apart, in times of what is read together, change places from run to run: of nine runs of ParRes sparse at
// 100 Mb/s, where the one came some 70 us after the other, eight went in turn.
constexpr double near_each_other = 4;

Ports::Ports(const Program& program, const ReplayCosts& costs, const TrafficRules& rules,
             Arbitration arbitration, EventQueue& events, Listener& listener)
    : program_(program),
      costs_(costs),
      rules_(rules),
      events_(events),
      listener_(listener),
      ports_(program.hosts.size() * 2),
      tail_there_(program.messages.size(), false),
      left_(program.messages.size(), false) {
  for (Port& port : ports_) port.waiting = PortWaiting(arbitration);
}

std::int32_t Ports::host_of(std::int32_t rank) const {
  return program_.ranks[static_cast<std::size_t>(rank)].host;
}

std::uint64_t Ports::pair_of(std::int32_t from, std::int32_t to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

std::uint32_t Ports::sending_port(std::uint32_t message) const {
  return static_cast<std::uint32_t>(host_of(program_.messages[message].source)) * 2;
}

std::uint32_t Ports::receiving_port(std::uint32_t message) const {
  return static_cast<std::uint32_t>(host_of(program_.messages[message].destination)) * 2 + 1;
}

void Ports::start(std::uint32_t message, double now_s) {
  const ProgramMessage& m = program_.messages[message];
  join_stream(last_data_[pair_of(host_of(m.source), host_of(m.destination))], message, now_s);
  Port& port = ports_[sending_port(message)];
  port.free_s = std::max(port.free_s, now_s) + port_s(message);
  enqueue(sending_port(message), message, now_s);
}

void Ports::join_stream(LastData& last, std::uint32_t message, double now_s) {
  last.message = message;
  const std::uint32_t before = std::exchange(last.streamed, message);
  const WireFacts& wire = costs_.wire();
  if (wire.frame_overhead_bytes <= 0) return;
  const double bytes = wire.stream_bytes(costs_.of(message).port_s);
  const ProgramMessage& m = program_.messages[message];
  if (before != LastData::none && !left_[before] && program_.messages[before].source == m.source &&
      program_.messages[before].destination == m.destination &&
      ports_[sending_port(message)].free_s > now_s + wire.cut_ahead_s()) {
    if (joined_s_.empty()) joined_s_.resize(program_.messages.size(), -1);
    joined_s_[message] = wire.joined_s(last.stream_bytes, bytes);
    last.stream_bytes += bytes;
  } else {
    last.stream_bytes = bytes;
  }
}

double Ports::port_s(std::uint32_t message) const {
  return joined_s_.empty() || joined_s_[message] < 0 ? costs_.of(message).port_s : joined_s_[message];
}

void Ports::start_control(EventKind kind, std::uint32_t message, double now_s) {
  const ProgramMessage& m = program_.messages[message];
  const std::int32_t from = host_of(kind == EventKind::request ? m.source : m.destination);
  const std::int32_t to = host_of(kind == EventKind::request ? m.destination : m.source);
  const auto last = last_data_.find(pair_of(from, to));
  if (!rules_.replies_wait || last == last_data_.end() || left_[last->second.message])
    deliver({kind, message}, now_s);
  else
    behind_[last->second.message].push_back({kind, message});
}

void Ports::deliver(const Control& control, double now_s) {
  const ProgramMessage& m = program_.messages[control.message];
  if (rules_.in_turn && costs_.of(control.message).protocol == Protocol::rendezvous)
    take_turns(control, now_s);
  if (control.kind == EventKind::request)
    listener_.request_comes(control.message, now_s + costs_.of(control.message).control_s);
  events_.add(now_s + costs_.of(control.message).control_s,
              control.kind == EventKind::request ? m.destination : m.source, control.kind, control.message);
}

// Who replies had read the request before it sent its own, where the one came as the other went.
void Ports::take_turns(const Control& control, double now_s) {
  const ProgramMessage& m = program_.messages[control.message];
  const std::int32_t from = host_of(m.source), to = host_of(m.destination);
  if (control.kind == EventKind::request) {
    asked_s_[pair_of(from, to)] = now_s;
    return;
  }
  const double came_s = asked_s_[pair_of(from, to)] + costs_.of(control.message).control_s;
  const auto own = asked_s_.find(pair_of(to, from));
  if (own != asked_s_.end() && std::fabs(came_s - own->second) <= near_each_other * costs_.read_together_s())
    last_data_[pair_of(from, to)].message = control.message;
}

void Ports::enqueue(std::uint32_t port, std::uint32_t message, double now_s) {
  const ProgramMessage& m = program_.messages[message];
  const std::uint64_t pair = pair_of(m.source, m.destination);
  if (ports_[port].busy) {
    ports_[port].waiting.add(message, pair, port_s(message));
    return;
  }
  ports_[port].waiting.pass(pair, port_s(message));
  begin(port, message, now_s);
}

void Ports::begin(std::uint32_t port, std::uint32_t message, double now_s) {
  Port& p = ports_[port];
  p.busy = true;
  p.served = false;
  p.message = message;
  p.left_s = port_s(message);
  p.since_s = now_s;
  p.rate = 1;
  promise(port, now_s);
  set_rates(port, now_s);
  if (port % 2 == 0)
    events_.add(now_s + costs_.of(message).head_s, program_.messages[message].destination, EventKind::head,
                message);
}

void Ports::promise(std::uint32_t port, double now_s) {
  Port& p = ports_[port];
  events_.add(now_s + p.left_s / p.rate, program_.messages[p.message].destination, EventKind::port_done, port,
              ++p.stamp);
}

void Ports::set_rates(std::uint32_t port, double now_s) {
  const std::uint32_t twin = port ^ 1u;
  const double rate = rules_.two_way_slows && ports_[port].busy && ports_[twin].busy
                          ? costs_.two_way_efficiency(ports_[port].message, ports_[twin].message)
                          : 1;
  for (const std::uint32_t changed : {port, twin}) {
    Port& p = ports_[changed];
    if (!p.busy || p.rate == rate) continue;
    p.left_s = std::max(0.0, p.left_s - (now_s - p.since_s) * p.rate);
    p.since_s = now_s;
    p.rate = rate;
    if (!p.served) promise(changed, now_s);
  }
}

void Ports::release(std::uint32_t port, double now_s) {
  Port& p = ports_[port];
  p.busy = false;
  if (p.waiting.empty()) {
    set_rates(port, now_s);
    return;
  }
  begin(port, p.waiting.take(), now_s);
}

void Ports::handle(const Event& event) {
  if (event.kind == EventKind::head) {
    enqueue(receiving_port(event.target), event.target, event.time_s);
    return;
  }
  if (event.kind == EventKind::tail) {
    tail_there_[event.target] = true;
    const std::uint32_t port = receiving_port(event.target);
    if (ports_[port].busy && ports_[port].served && ports_[port].message == event.target) {
      release(port, event.time_s);
      listener_.arrived(event.target, event.time_s);
    }
    return;
  }
  Port& p = ports_[event.target];
  if (!p.busy || p.served || event.stamp != p.stamp) return;  // its rate has changed since
  const std::uint32_t message = p.message;
  if (event.target % 2 == 0) {
    events_.add(event.time_s + costs_.of(message).head_s, program_.messages[message].destination,
                EventKind::tail, message);
    left_[message] = true;
    if (const auto behind = behind_.find(message); behind != behind_.end()) {
      for (const Control& control : behind->second) deliver(control, event.time_s);
      behind_.erase(behind);
    }
    release(event.target, event.time_s);
    listener_.left(message, event.time_s);
  } else if (tail_there_[message]) {
    release(event.target, event.time_s);
    listener_.arrived(message, event.time_s);
  } else {
    p.served = true;
  }
}

const NetworkKind ports_kind{
    "ports",
    "a switch without limits: each host sends and receives one message at a time",
    {},
    nullptr,
    nullptr,
    [](NetworkKeys&, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      return std::make_unique<Ports>(context.program, context.costs, context.options.rules,
                                     context.options.arbitration, context.events, context.listener);
    }};

}  // namespace ww::simulate

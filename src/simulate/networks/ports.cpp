#include "simulate/networks/ports.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/tcp_acknowledgements.hpp"
#include "simulate/networks/kinds.hpp"

namespace ww::simulate {

// Requests so far apart, in times of what is read together, change places from run to run: of nine runs of ParRes sparse at
// 100 Mb/s, where the one came some 70 us after the other, eight went in turn.
constexpr double near_each_other = 4;

// Of a message: more pieces than that change nothing.
constexpr double most_pieces = 16;
// Of a connection in its host's queue: Linux lets some two full frames wait there beside the one that leaves (net.ipv4.tcp_limit_output_bytes).
constexpr std::size_t usually_queued = 3;

std::size_t most_queued(Arbitration rule) {
  if (rule == Arbitration::as_written) return std::numeric_limits<std::size_t>::max();
  return rule == Arbitration::turns || rule == Arbitration::shares ? 1 : usually_queued;
}

Ports::Ports(const Program& program, const ReplayCosts& costs, const TrafficRules& rules,
             Arbitration arbitration, EventQueue& events, Listener& listener)
    : program_(program),
      costs_(costs),
      rules_(rules),
      events_(events),
      listener_(listener),
      ports_(program.hosts.size() * 2),
      small_(costs.wire().frames_known ? program.ranks.size() : 0),
      windows_(costs.wire(), program.ranks.size()),
      left_(program.messages.size(), false),
      last_data_(program.hosts.size(), none),
      landed_s_(program.hosts.size(), 0),
      heads_s_(program.ranks.size(), 0),
      asked_s_(program.hosts.size(), -1) {
  acknowledges_ = costs.wire().frames_known && program.ranks.size() > 2;
  if (costs.wire().frames_known)
    for (std::size_t host = 0; host < program.hosts.size(); ++host)
      frames_.emplace_back(costs, most_queued(arbitration), program.ranks.size() > 2 ? most_pieces : 1);
  else
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

std::uint64_t Ports::pair_of(std::uint32_t message) const {
  return pair_of(program_.messages[message].source, program_.messages[message].destination);
}

std::uint32_t Ports::receiving_port(const CutPiece& piece) const {
  return piece.acknowledges ? sending_port(piece.message) + 1 : receiving_port(piece.message);
}

std::uint64_t Ports::pair_of(const CutPiece& piece) const {
  const ProgramMessage& m = program_.messages[piece.message];
  return piece.acknowledges ? pair_of(m.destination, m.source) : pair_of(m.source, m.destination);
}

void Ports::start(std::uint32_t message, double now_s) {
  const ProgramMessage& m = program_.messages[message];
  last_data_.at(host_of(m.source), host_of(m.destination)) = message;
  const std::uint32_t number = sending_port(message);
  Port& port = ports_[number];
  if (!frames_.empty()) {
    small_.sends(m.source, m.destination);
    frames_[number / 2].write(message, pair_of(message));
    if (!port.busy) begin_next(number, now_s);
    return;
  }
  const double port_s = costs_.of(message).port_s;
  const std::uint32_t piece = new_piece({message, EndedMessages(message), port_s, port_s});
  if (port.busy) {
    port.waiting.add(piece, pair_of(message), port_s);
  } else {
    port.waiting.pass(pair_of(message), port_s);
    begin_sending(number, piece, now_s);
  }
}

Ports::Way Ports::way_of(const Control& control) const {
  const ProgramMessage& m = program_.messages[control.message];
  const std::int32_t source = host_of(m.source), destination = host_of(m.destination);
  return control.kind == EventKind::request ? Way{source, destination} : Way{destination, source};
}

bool Ports::is_behind_data(const Way& way) {
  const std::uint32_t last = last_data_.at(way.from, way.to);
  return rules_.replies_wait && last != none && !left_[last];
}

// Of what goes one way on a connection nothing overtakes anything.
double Ports::there_s(const Control& control, double now_s) {
  const Way way = way_of(control);
  const double alone_s = now_s + costs_.of(control.message).control_s;
  if (!rules_.replies_wait) return alone_s;
  const WireFacts& wire = costs_.wire();
  const bool acknowledges = control.kind == EventKind::acknowledged && wire.frames_known;
  const double frames_s = acknowledges
                              ? late_acknowledgement_s(wire.frame_overhead_bytes * wire.seconds_per_byte,
                                                       wire.control_frame_s, wire.small_software_s)
                              : wire.control_frame_s;
  return std::max(alone_s, landed_s_.at(way.from, way.to) + frames_s);
}

bool Ports::holds_back(EventKind kind, std::uint32_t message, double now_s) {
  const Control control{kind, message};
  return is_behind_data(way_of(control)) || there_s(control, now_s) > now_s + costs_.of(message).control_s;
}

void Ports::start_control(EventKind kind, std::uint32_t message, double now_s) {
  const Control control{kind, message};
  if (const Way way = way_of(control); is_behind_data(way))
    behind_[last_data_.at(way.from, way.to)].push_back(control);
  else
    deliver(control, now_s);
}

void Ports::deliver(const Control& control, double now_s) {
  const ProgramMessage& m = program_.messages[control.message];
  const bool asks = control.kind == EventKind::request;
  if (!frames_.empty()) small_.sends(asks ? m.source : m.destination, asks ? m.destination : m.source);
  if (rules_.in_turn && control.kind != EventKind::acknowledged &&
      costs_.of(control.message).protocol == Protocol::rendezvous)
    take_turns(control, now_s);
  const double at_s = there_s(control, now_s);
  if (asks) listener_.request_comes(control.message, at_s);
  events_.add(at_s, asks ? m.destination : m.source, control.kind, control.message);
}

// Who replies had read the request before it sent its own, where the one came as the other went.
void Ports::take_turns(const Control& control, double now_s) {
  const ProgramMessage& m = program_.messages[control.message];
  const std::int32_t from = host_of(m.source), to = host_of(m.destination);
  if (control.kind == EventKind::request) {
    asked_s_.at(from, to) = now_s;
    return;
  }
  const double came_s = std::max(0.0, asked_s_.at(from, to)) + costs_.of(control.message).control_s;
  const double own_s = asked_s_.at(to, from);
  if (own_s >= 0 && std::fabs(came_s - own_s) <= near_each_other * costs_.read_together_s())
    last_data_.at(from, to) = control.message;
}

// Each further stage of the model's network stores a piece's first frame, where costs have that of its message.
double Ports::head_s(const CutPiece& piece) const {
  const WireFacts& wire = costs_.wire();
  const MessageCost& cost = costs_.of(piece.message);
  if (frames_.empty()) return cost.head_s;
  return std::max(0.0, cost.head_s + (wire.stages - 1) *
                                         (piece.first_frame_s - std::min(cost.port_s, wire.full_frame_s())));
}

std::uint32_t Ports::new_piece(CutPiece of) {
  const double piece_head_s = head_s(of);
  if (free_pieces_.empty()) {
    pieces_.push_back({std::move(of), piece_head_s, -1});
    return static_cast<std::uint32_t>(pieces_.size() - 1);
  }
  const std::uint32_t number = free_pieces_.back();
  free_pieces_.pop_back();
  pieces_[number] = {std::move(of), piece_head_s, -1};
  return number;
}

void Ports::begin_next(std::uint32_t port, double now_s) {
  if (!frames_.empty() && !frames_[port / 2].empty())
    begin_sending(port, new_piece(frames_[port / 2].take()), now_s);
  else if (!ports_[port].waiting.empty())
    begin_sending(port, ports_[port].waiting.take(), now_s);
  else
    set_rates(port, now_s);
}

// Of one pair of ranks none overtakes another, be a large one's first byte as quick by the model as it may; what acknowledges has no byte that
// anyone waits for.
void Ports::begin_sending(std::uint32_t port, std::uint32_t piece, double now_s) {
  const CutPiece& of = pieces_[piece].of;
  begin(port, piece, now_s, stands_still_s(of, now_s));
  const ProgramMessage& m = program_.messages[of.message];
  double head_at_s = now_s + pieces_[piece].head_s;
  if (!of.acknowledges) {
    double& latest_s = heads_s_.at(m.source, m.destination);
    head_at_s = latest_s = std::max(latest_s, head_at_s);
  }
  events_.add(head_at_s, m.destination, EventKind::head, piece);
}

// Of what goes back from its receiver, if it is there already.
double Ports::stands_still_s(const CutPiece& piece, double now_s) {
  if (piece.acknowledges || frames_.empty() || program_.ranks.size() > 2) return 0;
  const ProgramMessage& m = program_.messages[piece.message];
  const std::uint32_t back = receiving_port(piece.message) - 1;
  const Port& other = ports_[back];
  const bool goes_back =
      has_data(back) && receiving_port(message_at(back)) == sending_port(piece.message) + 1;
  const double others_s = goes_back ? other.left_s / other.rate - (now_s - other.since_s) : 0;
  return windows_.stands_still_s(m.source, m.destination, piece.length_s, others_s, now_s);
}

void Ports::begin(std::uint32_t port, std::uint32_t piece, double now_s, double still_s) {
  Port& p = ports_[port];
  p.busy = true;
  p.served = false;
  p.piece = piece;
  p.left_s = pieces_[piece].of.length_s + still_s;
  p.since_s = now_s;
  p.rate = 1;
  promise(port, now_s);
  set_rates(port, now_s);
}

void Ports::promise(std::uint32_t port, double now_s) {
  Port& p = ports_[port];
  events_.add(now_s + p.left_s / p.rate, program_.messages[message_at(port)].destination,
              EventKind::port_done, port, ++p.stamp);
}

bool Ports::has_data(std::uint32_t port) const {
  return ports_[port].busy && !pieces_[ports_[port].piece].of.acknowledges;
}

void Ports::set_rates(std::uint32_t port, double now_s) {
  const std::uint32_t twin = port ^ 1u;
  const double rate = rules_.two_way_slows && has_data(port) && has_data(twin)
                          ? costs_.two_way_efficiency(message_at(port), message_at(twin))
                          : 1;
  if (ports_[port].rate == rate && ports_[twin].rate == rate) return;
  for (const std::uint32_t changed : {port, twin}) {
    Port& p = ports_[changed];
    if (!p.busy || p.rate == rate) continue;
    p.left_s = std::max(0.0, p.left_s - (now_s - p.since_s) * p.rate);
    p.since_s = now_s;
    p.rate = rate;
    if (!p.served) promise(changed, now_s);
  }
}

void Ports::left(std::uint32_t message, double now_s) {
  left_[message] = true;
  const ProgramMessage& m = program_.messages[message];
  const MessageCost& cost = costs_.of(message);
  double& landed_s = landed_s_.at(host_of(m.source), host_of(m.destination));
  landed_s =
      std::max(landed_s, now_s + std::max(0.0, cost.head_s - (cost.acknowledged ? cost.reply_s() : 0)));
  if (const auto behind = behind_.find(message); behind != behind_.end()) {
    for (const Control& control : behind->second) deliver(control, now_s);
    behind_.erase(behind);
  }
}

// Of a piece that is served before its last byte has come the receiving port is told when it has.
void Ports::tail_left(std::uint32_t number, double now_s) {
  Piece& piece = pieces_[number];
  piece.tail_s = now_s + piece.head_s;
  const Port& to = ports_[receiving_port(piece.of)];
  if (to.busy && to.served && to.piece == number) tell_of_tail(number);
}

void Ports::tell_of_tail(std::uint32_t piece) {
  events_.add(pieces_[piece].tail_s, program_.messages[pieces_[piece].of.message].destination,
              EventKind::tail, piece);
}

// The piece that the sending port has served.
void Ports::sent(std::uint32_t number, double now_s) {
  Port& port = ports_[number];
  const std::uint32_t of_port = port.piece;
  const EndedMessages ends = pieces_[of_port].of.ends;
  tail_left(of_port, now_s);
  ends.for_each([&](std::uint32_t message) { left(message, now_s); });
  port.busy = false;
  if (!frames_.empty()) frames_[number / 2].sent(pieces_[of_port].of.length_s);
  begin_next(number, now_s);
  ends.for_each([&](std::uint32_t message) { listener_.left(message, now_s); });
}

void Ports::acknowledge(std::uint32_t message, double frames, double now_s) {
  const ProgramMessage& m = program_.messages[message];
  const std::uint32_t back = receiving_port(message) - 1;
  FrameQueue& queue = frames_[back / 2];
  if (queue.has_data(pair_of(m.destination, m.source))) return;
  queue.acknowledge(message, frames);
  if (!ports_[back].busy) begin_next(back, now_s);
}

// TCP tells of every second full frame that it has come (RFC 5681, 4.2), by what data go to that rank meanwhile or by a frame of its own;
// of small ones, see SmallAcknowledgements. Between two ranks what waits for the first is in the model's time of the message.
void Ports::came(const CutPiece& piece, double now_s) {
  constexpr double frames_each = 2;
  if (piece.acknowledges) return;
  const ProgramMessage& m = program_.messages[piece.message];
  const SmallAcknowledgements::Came came{piece.message, m.source, m.destination, piece.full_frames,
                                         !piece.ends.empty() && piece.full_frames == 0};
  if (acknowledges_ && came.full_frames >= 1)
    acknowledge(came.message, came.full_frames / frames_each, now_s);
  if (small_.came(came) && listener_.is_waiting(came.to)) reads(came.to, now_s);
}

void Ports::reads(std::int32_t rank, double now_s) {
  if (!frames_.empty()) small_.reads(rank, [&](std::uint32_t message) { acknowledge(message, 1, now_s); });
}

// The piece that the receiving port has served but for what is not there yet.
void Ports::served(std::uint32_t number, double now_s) {
  Port& port = ports_[number];
  const double tail_s = pieces_[port.piece].tail_s;
  if (tail_s >= 0 && tail_s <= now_s) return received(number, now_s);
  port.served = true;
  if (tail_s >= 0) tell_of_tail(port.piece);
}

// The piece that the receiving port has served, to its last byte.
void Ports::received(std::uint32_t number, double now_s) {
  Port& port = ports_[number];
  if (!frames_.empty()) came(pieces_[port.piece].of, now_s);
  const EndedMessages ends = std::move(pieces_[port.piece].of.ends);
  free_pieces_.push_back(port.piece);
  port.busy = false;
  if (port.waiting.empty())
    set_rates(number, now_s);
  else
    begin(number, port.waiting.take(), now_s);
  ends.for_each([&](std::uint32_t message) { listener_.arrived(message, now_s); });
}

void Ports::handle(const Event& event) {
  if (event.kind == EventKind::head) {
    const CutPiece& piece = pieces_[event.target].of;
    const std::uint32_t number = receiving_port(piece);
    Port& port = ports_[number];
    if (port.busy) {
      port.waiting.add(event.target, pair_of(piece), piece.length_s);
    } else {
      port.waiting.pass(pair_of(piece), piece.length_s);
      begin(number, event.target, event.time_s);
    }
    return;
  }
  if (event.kind == EventKind::tail) {
    received(receiving_port(pieces_[event.target].of), event.time_s);
    return;
  }
  Port& p = ports_[event.target];
  if (!p.busy || p.served || event.stamp != p.stamp) return;  // its rate has changed since
  if (event.target % 2 == 0)
    sent(event.target, event.time_s);
  else
    served(event.target, event.time_s);
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

#include "lab/switch/port_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "base/result.hpp"

namespace ww::lab {
namespace {

constexpr int every_port = -1;
constexpr double caller_late_s = 300e-6;

std::size_t index(int port) {
  return static_cast<std::size_t>(port);
}

}  // namespace

std::int64_t WireTimes::serialise_ns(std::int64_t frame_bytes) const {
  if (rate_bytes_per_s <= 0) return 0;
  return std::llround(static_cast<double>(frame_bytes + frame_overhead_bytes) * 1e9 / rate_bytes_per_s);
}

std::int64_t WireTimes::lookahead_bytes() const {
  const std::int64_t piece_bytes = at_once > 1 ? 1514 * std::int64_t{at_once} : 0;
  return std::max<std::int64_t>(2 * 1514, std::llround(rate_bytes_per_s * caller_late_s)) + piece_bytes;
}

std::int64_t WireTimes::covered_ns() const {
  if (rate_bytes_per_s <= 0) return std::llround(caller_late_s * 1e9);
  return std::llround(static_cast<double>(lookahead_bytes()) / rate_bytes_per_s * 1e9);
}

PortSchedule::PortSchedule(int ports, WireTimes wire, std::int64_t egress_limit_bytes, std::uint64_t seed)
    : Timetable(wire),
      egress_limit_bytes_(egress_limit_bytes),
      ingress_(static_cast<std::size_t>(ports)),
      egress_(static_cast<std::size_t>(ports)),
      delayed_(static_cast<std::size_t>(ports)) {
  for (std::uint64_t way = 0; way < static_cast<std::uint64_t>(ports) * static_cast<std::uint64_t>(ports);
       ++way) {
    std::seed_seq of_way{seed, way};
    ways_.push_back({std::mt19937_64(of_way)});
  }
}

bool PortSchedule::wants(int port) const {
  return ingress_[index(port)].waiting_bytes < wire_.lookahead_bytes();
}

void PortSchedule::push(std::int64_t time_ns, int port, Event::What what, const Frame& frame) {
  (what == Event::What::egress_ready ? delayed_[index(port)] : links_)
      .push({time_ns, order_++, port, what, frame});
}

std::int64_t PortSchedule::start(Link& link, std::int64_t time_ns) const {
  const Frame& frame = link.frames.front();
  link.busy = true;
  link.waiting_bytes -= frame.piece.bytes;
  link.finish_ns = std::max(time_ns, link.finish_ns) + wire_.serialise_ns(frame.piece.bytes);
  return link.finish_ns;
}

void PortSchedule::arrive(int port, std::int64_t time_ns, std::uint32_t frame, CardPiece piece,
                          std::optional<int> to) {
  Link& in = ingress_[index(port)];
  in.frames.push_back({time_ns, frame, piece, to.value_or(every_port)});
  in.waiting_bytes += piece.bytes;
  if (!in.busy) begin_ingress(port, time_ns);
}

void PortSchedule::begin_ingress(int port, std::int64_t time_ns) {
  Link& in = ingress_[index(port)];
  const std::int64_t finish_ns = start(in, time_ns);
  const Frame& frame = in.frames.front();
  const auto& [bytes, first_bytes] = frame.piece;
  if (first_bytes < bytes)
    push(finish_ns - wire_.serialise_ns(bytes) + wire_.serialise_ns(first_bytes), port,
         Event::What::ingress_first, frame);
  push(finish_ns, port, Event::What::ingress_end, frame);
}

void PortSchedule::end_of_ingress(const Event& event, const Drop& drop) {
  Link& in = ingress_[index(event.port)];
  in.frames.pop_front();
  in.busy = false;
  if (!in.frames.empty()) begin_ingress(event.port, in.frames.front().arrival_ns);
  if (event.frame.piece.first_bytes == event.frame.piece.bytes) pass_on(event, drop);
}

void PortSchedule::pass_on(const Event& event, const Drop& drop) {
  const int ports = static_cast<int>(egress_.size());
  for (int port = 0; port < ports; ++port) {
    if (event.frame.to == every_port ? port == event.port : port != event.frame.to) continue;
    Way& way = ways_[index(event.port) * egress_.size() + index(port)];
    if (wire_.loss > 0 && std::uniform_real_distribution<>()(way.draws) < wire_.loss) {
      drop(event.frame.number);
      continue;
    }
    std::int64_t ready_ns = event.time_ns + wire_.delay_ns;
    if (wire_.jitter_ns > 0)
      ready_ns += std::uniform_int_distribution<std::int64_t>(0, wire_.jitter_ns)(way.draws);
    way.ready_ns = std::max(way.ready_ns, ready_ns);
    push(way.ready_ns, port, Event::What::egress_ready, event.frame);
  }
}

void PortSchedule::enter_egress(const Event& event, const Drop& drop) {
  Link& out = egress_[index(event.port)];
  if (out.busy && out.waiting_bytes + event.frame.piece.bytes > egress_limit_bytes_) {
    drop(event.frame.number);
    return;
  }
  out.frames.push_back(event.frame);
  out.waiting_bytes += event.frame.piece.bytes;
  if (!out.busy) push(start(out, event.time_ns), event.port, Event::What::egress_end, event.frame);
}

// At equal times a link is freed before the next frame asks for it: without a rate limit nothing ever queues.
PortSchedule::Queue& PortSchedule::next_queue() {
  Queue* next = &links_;
  for (Queue& delayed : delayed_) {
    if (delayed.empty()) continue;
    const bool tie = !next->empty() && next != &links_ && next->top().time_ns == delayed.top().time_ns;
    if (next->empty() || next->top().time_ns > delayed.top().time_ns ||
        (tie && next->top().order > delayed.top().order))
      next = &delayed;
  }
  return *next;
}

void PortSchedule::advance(std::int64_t now_ns, const Deliver& deliver, const Drop& drop) {
  for (;;) {
    Queue& queue = next_queue();
    if (queue.empty() || queue.top().time_ns > now_ns) return;
    const Event event = queue.top();
    queue.pop();
    if (event.what == Event::What::ingress_end) {
      end_of_ingress(event, drop);
    } else if (event.what == Event::What::ingress_first) {
      pass_on(event, drop);
    } else if (event.what == Event::What::egress_ready) {
      enter_egress(event, drop);
    } else {
      Link& out = egress_[index(event.port)];
      out.frames.pop_front();
      out.busy = false;
      if (!out.frames.empty())
        push(start(out, event.time_ns), event.port, Event::What::egress_end, out.frames.front());
      deliver({event.port, event.frame.number, event.frame.piece.bytes, event.time_ns});
    }
  }
}

std::int64_t PortSchedule::next_delivery_ns(int port) const {
  std::int64_t next = never;
  if (const Link& out = egress_[index(port)]; out.busy) next = out.finish_ns;
  for (const Link& in : ingress_) {
    if (!in.busy) continue;
    // the first frame of that link that goes there; those behind it come later
    std::int64_t received_ns = in.finish_ns;
    for (std::size_t i = 0; i < in.frames.size(); ++i) {
      const Frame& frame = in.frames[i];
      if (i > 0) received_ns += wire_.serialise_ns(frame.piece.bytes);
      if (frame.to != port && (frame.to != every_port || &in == &ingress_[index(port)])) continue;
      next = std::min(next, received_ns + wire_.delay_ns + wire_.serialise_ns(frame.piece.first_bytes));
      break;
    }
  }
  if (const Queue& delayed = delayed_[index(port)]; !delayed.empty())
    next = std::min(next, delayed.top().time_ns);
  return next;
}

std::int64_t PortSchedule::next_room_ns(int port) const {
  const Link& in = ingress_[index(port)];
  if (in.waiting_bytes < wire_.lookahead_bytes()) return never;
  return in.finish_ns + wire_.serialise_ns(in.waiting_bytes) / 2;
}

bool PortSchedule::busy_for(int port, std::int64_t time_ns) const {
  const Link& in = ingress_[index(port)];
  return in.busy && in.waiting_bytes > 0 && wire_.serialise_ns(in.waiting_bytes) > time_ns;
}

}  // namespace ww::lab

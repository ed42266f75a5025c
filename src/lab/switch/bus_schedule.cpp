#include "lab/switch/bus_schedule.hpp"

#include <algorithm>

#include "base/result.hpp"

namespace ww::lab {
namespace {

constexpr std::int64_t check_sequence_bytes = 4;
// So many ends are known ahead: all of them would cost a lab of 40 busy hosts 1.6 ms an arrival.
constexpr std::size_t foreseen = 8;
// The caller's number is the lower half of a frame's id.
constexpr std::uint64_t everyone = std::uint64_t{1} << 32;

std::size_t nth(int port) {
  return static_cast<std::size_t>(port);
}

ether::BusRules rules_of(double rate_bytes_per_s) {
  ether::BusRules rules;
  rules.bits_per_s = 8 * rate_bytes_per_s;
  return rules;
}

}  // namespace

BusSchedule::BusSchedule(int ports, WireTimes wire, std::uint64_t seed, std::int64_t start_ns)
    : Timetable(wire),
      ports_(ports),
      seed_(seed),
      played_rate_bytes_per_s_(wire.rate_bytes_per_s),
      of_ports_(nth(ports)),
      bus_(new_bus(*this)),
      ahead_(new_bus(forecast_)) {
  forecast_.start_ns = start_ns;
  forecast_.delay_ps = bus_.longest_delay_ps();
}

ether::CsmaBus BusSchedule::new_bus(BusUser& user) const {
  constexpr double usual_delay_ps = 1e6;
  const ether::BusRules rules = rules_of(played_rate_bytes_per_s_);
  const double delay_ps = std::min<double>(usual_delay_ps, static_cast<double>(rules.ps(rules.slot)) / 8);
  const ether::BusStation place{0, static_cast<std::int64_t>(delay_ps / 2)};
  return {rules, std::vector<ether::BusStation>(nth(ports_), place), seed_, user};
}

// Rounded up: nobody is told of a frame before it is there.
void BusSchedule::Forecast::sent(const ether::BusFrame& frame, std::int64_t, std::int64_t arrives_ps) {
  outcomes.push_back({frame, start_ns + (arrives_ps + 999) / 1000, false});
}

void BusSchedule::Forecast::dropped(const ether::BusFrame& frame, std::int64_t now_ps) {
  outcomes.push_back({frame, start_ns + (now_ps + delay_ps + 999) / 1000, true});
}

void BusSchedule::sent(const ether::BusFrame& frame, std::int64_t now_ps, std::int64_t) {
  done(frame, now_ps);
}

void BusSchedule::dropped(const ether::BusFrame& frame, std::int64_t now_ps) {
  done(frame, now_ps);
}

void BusSchedule::done(const ether::BusFrame& frame, std::int64_t now_ps) {
  // The copy drew the same back-offs.
  WW_INVARIANT(!forecast_.outcomes.empty() && forecast_.outcomes.front().frame.id == frame.id);
  ended_.push_back(forecast_.outcomes.front());
  forecast_.outcomes.pop_front();
  Port& port = of_ports_[frame.source];
  port.bytes -= port.frames.front();
  port.frames.pop_front();
  if (--frames_ == 0) wanted_before_ps_ += now_ps - wanted_since_ps_;
  if (forecast_.outcomes.empty()) look_ahead();
}

void BusSchedule::play_to(std::int64_t now_ns) {
  bus_.advance(ps(now_ns));
  if (wire_.rate_bytes_per_s != played_rate_bytes_per_s_) change_wire(now_ns);
  const ether::BusCounts& counts = bus_.counts();
  const auto publish = [](auto& to, auto value) { to.store(value, std::memory_order_relaxed); };
  publish(tally_.packets, before_.sent + counts.sent);
  publish(tally_.bytes, before_.bytes + counts.bytes);
  publish(tally_.given_up, before_.dropped + counts.dropped);
  publish(tally_.collisions, before_.collisions + counts.collisions);
  publish(tally_.collided_attempts, before_.collided_attempts + counts.collided_attempts);
  publish(tally_.busy_ns, (before_.sending_ps + counts.sending_ps) / 1000);
  publish(tally_.wanted_ns, (wanted_before_ps_ + (frames_ > 0 ? ps(now_ns) - wanted_since_ps_ : 0)) / 1000);
}

void BusSchedule::change_wire(std::int64_t now_ns) {
  const ether::BusCounts& counts = bus_.counts();
  before_.sent += counts.sent;
  before_.bytes += counts.bytes;
  before_.dropped += counts.dropped;
  before_.collisions += counts.collisions;
  before_.collided_attempts += counts.collided_attempts;
  before_.sending_ps += counts.sending_ps;
  played_rate_bytes_per_s_ = wire_.rate_bytes_per_s;
  ahead_.advance(ether::CsmaBus::nothing);  // what is there, all of it
  bus_ = new_bus(*this);
  forecast_.delay_ps = bus_.longest_delay_ps();
  bus_.advance(ps(now_ns));
  for (const Outcome& there : forecast_.outcomes) bus_.put(there.frame, ps(now_ns));
  foresee();
}

void BusSchedule::foresee() {
  ahead_.repeat(bus_);
  forecast_.outcomes.clear();
  look_ahead();
}

void BusSchedule::look_ahead() {
  while (forecast_.outcomes.size() < std::min(foreseen, frames_)) ahead_.advance(ahead_.next_ps());
}

bool BusSchedule::wants(int port) const {
  const Port& from = of_ports_[nth(port)];
  return from.frames.empty() || from.bytes - from.frames.front() < wire_.lookahead_bytes();
}

void BusSchedule::arrive(int port, std::int64_t time_ns, std::uint32_t frame, CardPiece piece,
                         std::optional<int> to) {
  const std::int64_t bytes = piece.bytes;  // cards of a bus hand over single frames
  play_to(time_ns);
  Port& from = of_ports_[nth(port)];
  from.frames.push_back(bytes);
  from.bytes += bytes;
  if (frames_++ == 0) wanted_since_ps_ = ps(time_ns);
  bus_.put({.id = to ? frame : frame | everyone,
            .source = static_cast<std::uint32_t>(port),
            .destination = static_cast<std::uint32_t>(to.value_or((port + 1) % ports_)),
            .bytes = static_cast<std::uint32_t>(bytes + check_sequence_bytes)},
           ps(time_ns));
  foresee();
}

bool BusSchedule::reaches(const ether::BusFrame& frame, int port) const {
  const auto number = static_cast<std::uint32_t>(port);
  return (frame.id & everyone) != 0 ? frame.source != number : frame.destination == number;
}

void BusSchedule::advance(std::int64_t now_ns, const Deliver& deliver, const Drop& drop) {
  play_to(now_ns);
  while (!ended_.empty() && ended_.front().time_ns <= now_ns) {
    const Outcome ended = ended_.front();
    ended_.pop_front();
    const auto number = static_cast<std::uint32_t>(ended.frame.id);
    for (int port = 0; port < ports_; ++port) {
      if (!reaches(ended.frame, port)) continue;
      if (ended.dropped)
        drop(number);
      else
        deliver({port, number, ended.frame.bytes - check_sequence_bytes, ended.time_ns});
    }
  }
}

std::int64_t BusSchedule::horizon_ns() const {
  return frames_ > forecast_.outcomes.size() ? forecast_.outcomes.back().time_ns : never;
}

std::int64_t BusSchedule::next_delivery_ns(int port) const {
  for (const auto* outcomes : {&ended_, &forecast_.outcomes})
    for (const Outcome& outcome : *outcomes)
      if (!outcome.dropped && reaches(outcome.frame, port)) return outcome.time_ns;
  return horizon_ns();
}

std::int64_t BusSchedule::next_room_ns(int port) const {
  if (wants(port)) return never;
  std::size_t to_go = 1 + (of_ports_[nth(port)].frames.size() - 1) / 2;
  for (const Outcome& outcome : forecast_.outcomes)
    if (outcome.frame.source == static_cast<std::uint32_t>(port) && --to_go == 0) return outcome.time_ns;
  return horizon_ns();
}

}  // namespace ww::lab

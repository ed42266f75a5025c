#include "simulate/stations/workstations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <queue>

#include "ether/csma_bus.hpp"

namespace ww::stations {
namespace {

using Ps = std::int64_t;
constexpr double ps_per_s = 1e12;
constexpr Ps ps_per_us = 1'000'000;

Ps ps(double seconds) {
  return std::llround(seconds * ps_per_s);
}
double seconds(Ps time) {
  return static_cast<double>(time) / ps_per_s;
}

struct Message {
  std::uint32_t source = 0;
  std::vector<std::uint32_t> destinations;
  std::uint64_t bytes = 0;
  Ps begun = 0;
};

// Of a message, at one destination.
struct Piece {
  std::uint32_t message = 0;
  std::uint64_t here = 0, to_come = 0;    // bytes
  bool opened = false, arriving = false;  // a packet of it is there, which may have no byte
};

enum class Job : std::uint8_t { send, receive, acknowledge };

struct Work {
  Job job = Job::send;
  std::uint32_t message = 0;
  std::uint64_t left = 0;  // bytes to be passed to the Ethernet
};

struct Receive {
  bool active = false, reserved = false, charging = false, charged = false, woken = false;
  std::uint32_t source = 0;
  std::uint64_t need = 0;
  Ps begun = 0, read_until = 0, read = 0;
};

struct Station {
  std::size_t next = 0;  // line
  double computing = 1;  // factor of its computation
  Receive receive;
  std::deque<Work> work;  // of its TCP server, the front at hand
  bool busy = false;
  std::map<std::uint32_t, std::deque<Piece>> inbox;  // by source
  std::vector<std::uint32_t> to_acknowledge;
  Ps network = 0, blocked = 0, algorithmic = 0, tcp = 0;
  StationResult result;
};

class Workstations final : ether::BusUser {
 public:
  Workstations(const std::vector<StationProgram>& programs, const StationRules& rules)
      : programs_(programs),
        rules_(rules),
        stations_(programs.size()),
        bus_(bus_rules(rules), std::vector<ether::BusStation>(std::max<std::size_t>(programs.size(), 1)),
             rules.seed, *this) {}

  Result<StationsRun> run() {
    for (std::uint32_t n = 0; n < stations_.size(); ++n) {
      prepare(n);
      at(0, What::next_line, n);
    }
    while (!agenda_.empty() || bus_.next_ps() != ether::CsmaBus::nothing) {
      const Ps bus_at = bus_.next_ps();
      if (agenda_.empty() || bus_at < agenda_.top().time) {
        now_ = bus_at;
        bus_.advance(bus_at);
        continue;
      }
      const Event event = agenda_.top();
      agenda_.pop();
      now_ = event.time;
      handle(event);
    }
    return finished();
  }

 private:
  enum class What : std::uint8_t { next_line, handed_over, tcp_done, arrived, read_done };
  struct Event {
    Ps time;
    std::uint64_t serial;
    What what;
    std::uint32_t station, message;
    std::uint64_t bytes;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.serial > b.serial;
    }
  };

  // S4's packets of 1500 bytes are all that is on its wire.
  static ether::BusRules bus_rules(const StationRules& rules) {
    ether::BusRules bus;
    bus.bits_per_s = rules.bits_per_s;
    bus.preamble = 0;
    return bus;
  }

  void at(Ps time, What what, std::uint32_t station, std::uint32_t message = 0, std::uint64_t bytes = 0) {
    agenda_.push({time, serial_++, what, station, message, bytes});
  }

  void prepare(std::uint32_t n) {
    Station& station = stations_[n];
    const StationProgram& program = programs_[n];
    const auto own_us = own_times_us(program.overhead);
    std::int64_t library_us = 0, blocked_us = 0, computed_us = 0;
    for (std::size_t i = 0; i < own_us.size(); ++i)
      (program.overhead[i].name == "select" ? blocked_us : library_us) += own_us[i];
    for (const StationLine& line : program.lines)
      if (line.does == Does::compute) computed_us += line.time_us;
    station.result.overhead_s = static_cast<double>(library_us) * 1e-6 * rules_.overhead;
    station.result.recorded_blocked_s = static_cast<double>(blocked_us) * 1e-6;
    if (computed_us > 0)
      station.computing = std::max(0.0, 1 - (1 - rules_.overhead) * static_cast<double>(library_us) /
                                                static_cast<double>(computed_us));
  }

  void handle(const Event& event) {
    switch (event.what) {
      case What::next_line:
        return do_line(event.station);
      case What::handed_over:
        return hand_over(event.station, event.message);
      case What::tcp_done:
        return tcp_done(event.station);
      case What::arrived:
        return arrived(event.station, event.message, event.bytes);
      case What::read_done:
        return complete_if_all_is_here(event.station);
    }
  }

  void do_line(std::uint32_t n) {
    Station& station = stations_[n];
    const auto& lines = programs_[n].lines;
    if (station.next == lines.size()) {
      station.result.elapsed_s = seconds(now_);
      return;
    }
    const StationLine& line = lines[station.next++];
    const Ps time = line.time_us * ps_per_us;
    if (line.does == Does::compute) {
      at(now_ + std::llround(static_cast<double>(time) * station.computing), What::next_line, n);
    } else if (line.does == Does::receive) {
      station.receive = {
          .active = true, .source = line.source, .need = line.bytes, .begun = now_, .read = time};
      enqueue(n, {Job::receive, 0, 0});
    } else {
      ++station.result.messages;
      station.result.bytes += line.bytes;
      messages_.push_back({n, line.destinations, line.bytes, now_});
      at(now_ + std::min(time, ps(rules_.hand_over_s)), What::handed_over, n,
         static_cast<std::uint32_t>(messages_.size() - 1));
      at(now_ + time, What::next_line, n);
    }
  }

  void hand_over(std::uint32_t n, std::uint32_t number) {
    const Message& message = messages_[number];
    bool leaves = false;
    for (const std::uint32_t to : message.destinations) {
      stations_[to].inbox[n].push_back({.message = number, .to_come = message.bytes, .opened = to == n});
      if (to == n) at(now_, What::arrived, n, number, message.bytes);
      leaves = leaves || to != n;
    }
    if (leaves) enqueue(n, {Job::send, number, message.bytes});
  }

  void enqueue(std::uint32_t n, const Work& work) {
    stations_[n].work.push_back(work);
    if (!stations_[n].busy) begin_work(n);
  }

  void begin_work(std::uint32_t n) {
    Station& station = stations_[n];
    station.busy = true;
    switch (station.work.front().job) {
      case Job::send:
        charge(n);
        break;
      case Job::receive:
        station.receive.reserved = true;
        look_for_data(n);
        break;
      case Job::acknowledge:
        put_packet(n, 0);
        break;
    }
  }

  void end_work(std::uint32_t n) {
    Station& station = stations_[n];
    station.work.pop_front();
    station.busy = false;
    if (!station.work.empty()) begin_work(n);
  }

  void charge(std::uint32_t n) {
    stations_[n].tcp += ps(rules_.tcp_s);
    at(now_ + ps(rules_.tcp_s), What::tcp_done, n);
  }

  void tcp_done(std::uint32_t n) {
    Station& station = stations_[n];
    if (station.work.front().job == Job::send) return put_next_packet(n);
    station.receive.charging = false;
    station.receive.charged = true;
    take(n);
  }

  void put_next_packet(std::uint32_t n) {
    Work& work = stations_[n].work.front();
    const auto most = static_cast<std::uint64_t>(rules_.payload_bytes);
    const std::uint64_t bytes = std::min(work.left, most);
    work.left -= bytes;
    put_packet(n, bytes);
  }

  void put_packet(std::uint32_t n, std::uint64_t bytes) {
    const Work& work = stations_[n].work.front();
    const auto frame = static_cast<std::uint32_t>(bytes + static_cast<std::uint64_t>(rules_.header_bytes));
    bus_.put({.id = bytes,
              .source = n,
              .destination = work.job == Job::send ? messages_[work.message].destinations.front() : n,
              .bytes = frame,
              .put_ps = now_},
             now_);
  }

  void sent(const ether::BusFrame& frame, Ps now, Ps arrives) override {
    now_ = now;
    const std::uint32_t n = frame.source;
    Station& station = stations_[n];
    station.network += now - frame.put_ps;
    const Work work = station.work.front();
    if (work.job == Job::acknowledge) return end_work(n);
    for (const std::uint32_t to : messages_[work.message].destinations)
      if (to != n) at(std::max(arrives, now), What::arrived, to, work.message, frame.id);
    if (work.left > 0)
      put_next_packet(n);
    else
      end_work(n);
  }

  // The document does not say what becomes of a packet after 16 attempts: it tries again.
  void dropped(const ether::BusFrame& frame, Ps now) override {
    now_ = now;
    bus_.put(frame, now);
  }

  void arrived(std::uint32_t n, std::uint32_t number, std::uint64_t bytes) {
    Station& station = stations_[n];
    auto& pieces = station.inbox[messages_[number].source];
    const auto piece =
        std::find_if(pieces.begin(), pieces.end(), [&](const Piece& one) { return one.message == number; });
    piece->arriving = true;
    piece->here += bytes;
    piece->to_come -= bytes;
    if (station.receive.active && station.receive.reserved &&
        station.receive.source == messages_[number].source)
      look_for_data(n);
  }

  void look_for_data(std::uint32_t n) {
    Station& station = stations_[n];
    Receive& receive = station.receive;
    if (receive.charging) return;
    if (receive.charged) return take(n);
    auto& pieces = station.inbox[receive.source];
    if (pieces.empty() || !pieces.front().arriving) return;
    if (pieces.front().opened) {
      receive.charged = true;
      return take(n);
    }
    receive.charging = true;
    charge(n);
  }

  void take(std::uint32_t n) {
    Station& station = stations_[n];
    Receive& receive = station.receive;
    auto& pieces = station.inbox[receive.source];
    if (!receive.woken) {
      receive.woken = true;
      const Ps blocked = now_ - receive.begun;
      station.blocked += blocked;
      station.algorithmic +=
          std::clamp<Ps>(messages_[pieces.front().message].begun - receive.begun, 0, blocked);
      receive.read_until = now_ + receive.read;
      at(receive.read_until, What::read_done, n);
    }
    while (!pieces.empty() && pieces.front().arriving) {
      Piece& piece = pieces.front();
      if (receive.need == 0 && piece.here + piece.to_come > 0) break;
      const std::uint64_t bytes = std::min(receive.need, piece.here);
      piece.opened = true;
      piece.here -= bytes;
      receive.need -= bytes;
      if (piece.here > 0 || piece.to_come > 0) break;
      if (messages_[piece.message].source != n) station.to_acknowledge.push_back(piece.message);
      pieces.pop_front();
    }
    complete_if_all_is_here(n);
  }

  void complete_if_all_is_here(std::uint32_t n) {
    Station& station = stations_[n];
    Receive& receive = station.receive;
    if (!receive.active || !receive.woken || receive.need > 0 || now_ < receive.read_until) return;
    station.blocked += now_ - receive.read_until;
    receive.active = false;
    for (const std::uint32_t message : station.to_acknowledge)
      station.work.push_back({Job::acknowledge, message, 0});
    station.to_acknowledge.clear();
    end_work(n);
    at(now_, What::next_line, n);
  }

  Result<StationsRun> finished() {
    StationsRun run;
    for (std::size_t n = 0; n < stations_.size(); ++n) {
      Station& station = stations_[n];
      if (station.receive.active)
        return fail("a station waits for what nobody sends",
                    fmt::format("station {}, line {}: {}", n, station.next,
                                to_string(programs_[n].lines[station.next - 1])),
                    "what is received from a station must be sent by it, and as many bytes");
      station.result.network_s = seconds(station.network);
      station.result.blocked_s = seconds(station.blocked);
      station.result.algorithmic_s = seconds(station.algorithmic);
      station.result.service_s = seconds(station.blocked - station.algorithmic);
      station.result.tcp_s = seconds(station.tcp);
      run.stations.push_back(station.result);
    }
    run.collisions = bus_.counts().collisions;
    return run;
  }

  const std::vector<StationProgram>& programs_;
  StationRules rules_;
  std::vector<Station> stations_;
  std::vector<Message> messages_;
  std::priority_queue<Event, std::vector<Event>, Later> agenda_;
  std::uint64_t serial_ = 0;
  Ps now_ = 0;
  ether::CsmaBus bus_;
};

double first_of(const Curve& curve) {
  return curve.segments.empty() ? 0 : curve.segments.front().base_s;
}

}  // namespace

Result<StationRules> rules_of(const MachineModel& model) {
  const Link* link = nullptr;
  for (const Link& one : model.links)
    if (one.between == Place::inter) link = &one;
  constexpr double largest_packet_bytes = 1500, least_headers_bytes = 40;  // Ethernet's, TCP's and IP's
  const bool has_costs =
      link != nullptr && link->wire && first_of(model.costs.F) > 0 && first_of(model.costs.S) > 0;
  if (!has_costs || link->wire->frame_payload_bytes > largest_packet_bytes ||
      link->wire->frame_overhead_bytes < least_headers_bytes)
    return fail("a model without S4's costs of a message, or of another network than Ethernet", model.name,
                "take the preset pvm-ethernet-10 or pvm-ethernet-100");
  StationRules rules;
  rules.hand_over_s = first_of(model.costs.F);
  rules.tcp_s = first_of(model.costs.S);
  rules.payload_bytes = link->wire->frame_payload_bytes;
  rules.header_bytes = link->wire->frame_overhead_bytes;
  rules.bits_per_s = 8 / link->wire->seconds_per_byte;
  return rules;
}

double StationsRun::elapsed_s() const {
  double last = 0;
  for (const StationResult& one : stations) last = std::max(last, one.elapsed_s);
  return last;
}

StationResult mean(const std::vector<StationResult>& stations) {
  StationResult sum;
  const double count = std::max<double>(1, static_cast<double>(stations.size()));
  double messages = 0, bytes = 0;
  for (const StationResult& one : stations) {
    for (const auto member :
         {&StationResult::elapsed_s, &StationResult::blocked_s, &StationResult::service_s,
          &StationResult::algorithmic_s, &StationResult::network_s, &StationResult::overhead_s,
          &StationResult::tcp_s, &StationResult::recorded_blocked_s})
      sum.*member += one.*member / count;
    messages += static_cast<double>(one.messages);
    bytes += static_cast<double>(one.bytes);
  }
  sum.messages = static_cast<std::uint64_t>(std::llround(messages / count));
  sum.bytes = static_cast<std::uint64_t>(std::llround(bytes / count));
  return sum;
}

Result<StationsRun> run_stations(const std::vector<StationProgram>& stations, const StationRules& rules) {
  return Workstations(stations, rules).run();
}

}  // namespace ww::stations

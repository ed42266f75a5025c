// Hosts with S4's TCP on a shared bus with CSMA/CD (ether/csma_bus.hpp). A message is cut into packets. One
// TCP server a host, first come first served, takes send_tcp for each packet that goes out and receive_tcp
// for each that comes in; what it has sent waits for the bus in the host's interface. A sender hands a
// message over block by block, so that the first packet is on the wire while the last is still being written.
// When the last packet of a message has been served by the receiver's TCP the message has arrived, and an
// acknowledgement without data goes back the same way. A packet that the bus gave up after 16 attempts is
// sent again by TCP when it has not been acknowledged for a while, which doubles each time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "ether/csma_bus.hpp"
#include "simulate/networks/kinds.hpp"

namespace ww::simulate {
namespace {

using ether::BusCounts;
using ether::BusFrame;
using ether::BusRules;
using ether::BusStation;
using ether::BusUser;
using ether::CsmaBus;

constexpr double ethernet_bytes = 18;          // addresses, type, check sequence
constexpr double preamble_and_gap_bytes = 20;  // which the bus adds itself
constexpr double least_headers_bytes = 40;     // of TCP and IP
constexpr double resend_s = 0.2;
constexpr double usual_delay_s = 1e-6;  // 200 m of cable

struct HostRules {
  BusRules bus;
  double payload_bytes = 1460, header_bytes = least_headers_bytes;
  double send_tcp_s = 0, receive_tcp_s = 0;
  double rest_s = 0;   // of the model's one-way time that none of the above is
  double delay_s = 0;  // between any two stations
};

// Reads the keys; the model's values where a key is missing, which needs `wire`.
HostRules read_keys(NetworkKeys& keys, const WireFacts* wire) {
  HostRules rules;
  if (wire) {
    rules.payload_bytes = std::max(1.0, wire->frame_payload_bytes);
    // A model that was measured counts all that Ethernet adds to a packet, S4's only TCP's and IP's headers.
    const double ethernet = ethernet_bytes + preamble_and_gap_bytes;
    rules.header_bytes = wire->frame_overhead_bytes >= least_headers_bytes + ethernet
                             ? wire->frame_overhead_bytes - ethernet
                             : std::max(least_headers_bytes, wire->frame_overhead_bytes);
    if (wire->seconds_per_byte > 0) rules.bus.bits_per_s = 8 / wire->seconds_per_byte;
    const double frame_s = (wire->frame_payload_bytes + wire->frame_overhead_bytes) * wire->seconds_per_byte;
    const double head_s = std::max(0.0, wire->first_frame_head_s - (wire->stages - 1) * frame_s);
    const bool loads = wire->send_load_s > 0 || wire->receive_load_s > 0;
    rules.send_tcp_s = loads ? std::min(wire->send_load_s, head_s) : head_s / 2;
    rules.receive_tcp_s =
        loads ? std::min(wire->receive_load_s, head_s - rules.send_tcp_s) : head_s - rules.send_tcp_s;
    rules.rest_s = std::max(0.0, head_s - rules.send_tcp_s - rules.receive_tcp_s);
  }
  if (const auto rate = keys.rate_bytes_per_s("rate")) rules.bus.bits_per_s = 8 * *rate;
  const double slot_s = rules.bus.slot / rules.bus.bits_per_s;
  rules.delay_s = keys.time_s("delay").value_or(std::min(usual_delay_s, slot_s / 8));
  if (const auto tcp_s = keys.time_s("tcp")) {
    rules.send_tcp_s = rules.receive_tcp_s = *tcp_s;
    rules.rest_s = 0;
  }
  const double longest_s = (slot_s - (rules.bus.preamble + rules.bus.jam) / rules.bus.bits_per_s) / 2;
  if ((wire || keys.has("rate")) && rules.delay_s > longest_s)
    keys.report(fmt::format("a collision would be heard after the slot of {}", show_time(slot_s)),
                fmt::format("give a shorter delay= between stations, at most {}", show_time(longest_s)));
  return rules;
}

class Bus final : public Network, BusUser {
 public:
  Bus(const NetworkContext& context, const HostRules& rules)
      : program_(context.program),
        events_(context.events),
        listener_(context.listener),
        rules_(rules),
        hosts_(context.program.hosts.size()),
        to_leave_(context.program.messages.size(), 0),
        to_arrive_(to_leave_),
        bus_(rules.bus,
             std::vector<BusStation>(std::max<std::size_t>(context.program.hosts.size(), 1),
                                     BusStation{0, ps(rules.delay_s) / 2}),
             context.options.seed, *this) {}

  bool takes_blocks() const override { return true; }

  void hand_over(std::uint32_t message, double now_s, double written_s) override {
    send_packets(message, now_s, written_s);
  }
  void start(std::uint32_t message, double now_s) override { send_packets(message, now_s, 0); }

  void start_control(EventKind kind, std::uint32_t message, double now_s) override {
    const ProgramMessage& m = program_.messages[message];
    const bool request = kind == EventKind::request;
    submit({.message = message,
            .what = request ? What::request : What::reply,
            .from = host_of(request ? m.source : m.destination),
            .to = host_of(request ? m.destination : m.source)},
           at(now_s));
    wake();
  }

  void handle(const Event& event) override {
    if (event.stamp != stamp_) return;
    const std::int64_t until_ps = posted_ps_;
    posted_ps_ = CsmaBus::nothing;
    while (next_ps() <= until_ps) {
      // What TCP does at an instant it does before what the bus does then.
      now_ps_ = next_ps();
      if (!agenda_.empty() && agenda_.top().time_ps <= bus_.next_ps())
        take_one();
      else
        bus_.advance(now_ps_);
    }
    wake();
  }

  std::vector<std::string> assumptions() const override {
    const double header = rules_.header_bytes;
    return {
        fmt::format(
            "the hosts share a bus of {} with CSMA/CD as IEEE 802.3 has it (slot {}, gap {}, 16 attempts), "
            "each {} from every other",
            show_rate(rules_.bus.bits_per_s / 8), show_time(rules_.bus.slot / rules_.bus.bits_per_s),
            show_time(rules_.bus.gap / rules_.bus.bits_per_s), show_time(rules_.delay_s)),
        fmt::format(
            "a message goes in packets of {:g} bytes with {:g} of headers and {:g} of Ethernet's, one TCP "
            "server a host takes {} for each packet sent and {} for each received, first come first "
            "served, and acknowledges every message with a packet; what a sender writes goes block by block",
            rules_.payload_bytes, header, ethernet_bytes, show_time(rules_.send_tcp_s),
            show_time(rules_.receive_tcp_s)),
        fmt::format(
            "a packet that is given up after 16 attempts is sent again after {}, twice as long each time",
            show_time(resend_s))};
  }

  std::vector<std::pair<std::string, double>> counts() const override {
    const BusCounts& c = bus_.counts();
    const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
    return {{"packets", count(c.sent)},
            {"bytes", count(c.bytes)},
            {"collisions", count(c.collisions)},
            {"collided_attempts", count(c.collided_attempts)},
            {"collisions_per_packet", c.sent ? count(c.collided_attempts) / count(c.sent) : 0},
            {"deferred", count(c.deferred)},
            {"given_up", count(c.dropped)},
            {"busy_s", static_cast<double>(c.sending_ps) * 1e-12}};
  }

 private:
  enum class What : std::uint8_t { data, request, reply, acknowledgement };
  struct Packet {
    std::uint32_t message = 0;
    What what = What::data;
    std::uint32_t from = 0, to = 0;
    double bytes = 0;  // of the message
    int resent = 0;
    bool received = false;  // what its TCP server does next
  };
  struct Host {
    std::deque<std::uint32_t> waiting;  // for its TCP server
    bool busy = false;
  };
  enum class Task : std::uint8_t { ready, served, arrives, message_arrives };
  struct Entry {
    std::int64_t time_ps;
    std::uint64_t serial;
    Task task;
    std::uint32_t target;  // packet; message_arrives: message
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.time_ps != b.time_ps ? a.time_ps > b.time_ps : a.serial > b.serial;
    }
  };

  static std::int64_t ps(double seconds) { return std::llround(seconds * 1e12); }
  std::int64_t at(double now_s) {
    now_ps_ = std::max(now_ps_, ps(now_s));
    return now_ps_;
  }
  std::uint32_t host_of(std::int32_t rank) const {
    return static_cast<std::uint32_t>(program_.ranks[static_cast<std::size_t>(rank)].host);
  }
  std::int64_t next_ps() const {
    return std::min(agenda_.empty() ? CsmaBus::nothing : agenda_.top().time_ps, bus_.next_ps());
  }
  void add(std::int64_t time_ps, Task task, std::uint32_t target) {
    agenda_.push({time_ps, serial_++, task, target});
  }

  // The engine's next look at this network, which goes before all else at its time.
  void wake() {
    const std::int64_t next = next_ps();
    if (next >= posted_ps_) return;
    posted_ps_ = next;
    events_.add(static_cast<double>(next) * 1e-12, -1, EventKind::network, 0, ++stamp_);
  }

  void send_packets(std::uint32_t message, double now_s, double over_s) {
    const ProgramMessage& m = program_.messages[message];
    const auto bytes = static_cast<double>(m.bytes);
    const double packets = std::max(1.0, std::ceil(bytes / rules_.payload_bytes));
    to_leave_[message] = to_arrive_[message] = static_cast<std::uint32_t>(packets);
    const std::int64_t start_ps = at(now_s);
    for (double i = 0; i < packets; ++i)
      submit({.message = message,
              .what = What::data,
              .from = host_of(m.source),
              .to = host_of(m.destination),
              .bytes = std::min(rules_.payload_bytes, bytes - i * rules_.payload_bytes)},
             start_ps + ps(over_s * (i + 1) / packets));
    wake();
  }

  void submit(const Packet& packet, std::int64_t ready_ps) {
    std::uint32_t number = static_cast<std::uint32_t>(packets_.size());
    if (free_.empty()) {
      packets_.push_back(packet);
    } else {
      number = free_.back();
      free_.pop_back();
      packets_[number] = packet;
    }
    add(ready_ps, Task::ready, number);
  }

  void take_one() {
    const Entry entry = agenda_.top();
    agenda_.pop();
    switch (entry.task) {
      case Task::ready:
      case Task::arrives: {
        Packet& packet = packets_[entry.target];
        packet.received = entry.task == Task::arrives;
        Host& host = hosts_[packet.received ? packet.to : packet.from];
        host.waiting.push_back(entry.target);
        if (!host.busy) serve(host);
        break;
      }
      case Task::served:
        served(entry.target);
        break;
      case Task::message_arrives:
        listener_.arrived(entry.target, static_cast<double>(entry.time_ps) * 1e-12);
        break;
    }
  }

  void serve(Host& host) {
    host.busy = true;
    const Packet& packet = packets_[host.waiting.front()];
    add(now_ps_ + ps(packet.received ? rules_.receive_tcp_s : rules_.send_tcp_s), Task::served,
        host.waiting.front());
  }

  void served(std::uint32_t number) {
    const Packet packet = packets_[number];
    Host& host = hosts_[packet.received ? packet.to : packet.from];
    host.waiting.pop_front();
    host.busy = false;
    if (!host.waiting.empty()) serve(host);
    if (!packet.received) {
      const double frame = std::max(packet.bytes, 0.0) + rules_.header_bytes + ethernet_bytes;
      bus_.put({.id = number,
                .source = packet.from,
                .destination = packet.to,
                .bytes = static_cast<std::uint32_t>(std::llround(frame))},
               now_ps_);
      return;
    }
    free_.push_back(number);
    const double now_s = static_cast<double>(now_ps_) * 1e-12;
    const ProgramMessage& m = program_.messages[packet.message];
    if (packet.what == What::request || packet.what == What::reply) {
      events_.add(now_s + rules_.rest_s, packet.what == What::request ? m.destination : m.source,
                  packet.what == What::request ? EventKind::request : EventKind::reply, packet.message);
    } else if (packet.what == What::data && --to_arrive_[packet.message] == 0) {
      add(now_ps_ + ps(rules_.rest_s), Task::message_arrives, packet.message);
      submit({.message = packet.message, .what = What::acknowledgement, .from = packet.to, .to = packet.from},
             now_ps_);
    }
  }

  void sent(const BusFrame& frame, std::int64_t now_ps, std::int64_t arrives_ps) override {
    const auto number = static_cast<std::uint32_t>(frame.id);
    const Packet& packet = packets_[number];
    add(arrives_ps, Task::arrives, number);
    if (packet.what == What::data && --to_leave_[packet.message] == 0)
      listener_.left(packet.message, static_cast<double>(now_ps) * 1e-12);
  }

  void dropped(const BusFrame& frame, std::int64_t now_ps) override {
    const auto number = static_cast<std::uint32_t>(frame.id);
    Packet& packet = packets_[number];
    add(now_ps + ps(resend_s * std::ldexp(1.0, std::min(packet.resent++, 6))), Task::ready, number);
  }

  const Program& program_;
  EventQueue& events_;
  Listener& listener_;
  HostRules rules_;
  std::vector<Host> hosts_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> to_leave_, to_arrive_;  // by message: packets
  std::priority_queue<Entry, std::vector<Entry>, Later> agenda_;
  std::uint64_t serial_ = 0;
  std::int64_t now_ps_ = 0, posted_ps_ = CsmaBus::nothing;
  std::uint32_t stamp_ = 0;
  CsmaBus bus_;
};

}  // namespace

const NetworkKind bus_kind{
    "bus",
    "a shared bus with CSMA/CD, hosts with S4's TCP",
    {"rate", "delay", "tcp"},
    [](const NetworkSpec&) { return true; },
    [](NetworkKeys& keys) -> Result<void> {
      read_keys(keys, nullptr);
      return keys.check();
    },
    [](NetworkKeys& keys, const NetworkContext& context) -> Result<std::unique_ptr<Network>> {
      const HostRules rules = read_keys(keys, &context.costs.wire());
      WW_CHECK(keys.check());
      return std::make_unique<Bus>(context, rules);
    }};

}  // namespace ww::simulate

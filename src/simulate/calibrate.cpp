#include "simulate/calibrate.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace ww::simulate {
namespace {

constexpr std::size_t enough_of_a_direction = 5;

struct Sample {
  double excess_s = 0, one_way_s = 0;
};

// Until when what each host sent before is surely on its way. A call that sends eagerly returns long before
// the wire has taken its data, and the next message waits behind them, in the port or in the switch: that is
// traffic, which the replay knows, and no software.
class UnderWay {
 public:
  UnderWay(const Trace& trace, const Program& program, const Link& link) : of_host_(program.hosts.size()) {
    const auto host = [&](std::int32_t rank) { return program.ranks[static_cast<std::size_t>(rank)].host; };
    const auto hand_over = [&](std::int32_t rank, std::uint32_t call, std::uint64_t bytes,
                               double arrived_ns) {
      const auto size = static_cast<double>(bytes);
      const double busy_s =
          link.wire ? link.wire->port_busy_s(size) : link.one_way.segment_at(size).seconds_per_byte * size;
      of_host_[static_cast<std::size_t>(host(rank))].push_back(
          {static_cast<double>(trace.ranks[static_cast<std::size_t>(rank)].enter_ns[call]), busy_s * 1e9,
           std::max(0.0, link.one_way.at(size) - busy_s) * 1e9, arrived_ns});
    };
    const auto left_ns = [&](std::int32_t rank, std::uint32_t call) {
      return call == none ? std::numeric_limits<double>::infinity()
                          : static_cast<double>(trace.ranks[static_cast<std::size_t>(rank)].leave_ns[call]);
    };
    for (const Message& m : trace.messages)
      if (m.send_call != none && host(m.source) != host(m.destination))
        hand_over(m.source, m.send_call, m.bytes, left_ns(m.destination, m.recv_done_call));
    for (const Collective& c : trace.collectives) {
      double last_ns = 0;
      for (const CollectiveMember& member : c.members)
        last_ns = std::max(last_ns, left_ns(member.rank, member.done_call));
      for (const CollectiveMember& member : c.members)
        if (member.call != none) hand_over(member.rank, member.call, member.bytes_sent, last_ns);
    }
    for (std::vector<Sent>& sent : of_host_) {
      std::sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) { return a.at_ns < b.at_ns; });
      double free_ns = 0, arrived_ns = 0;
      for (Sent& one : sent) {
        free_ns = std::min(std::max(free_ns, one.at_ns) + one.busy_ns, one.arrived_ns);
        arrived_ns = one.arrived_ns = std::max(arrived_ns, std::min(free_ns + one.rest_ns, one.arrived_ns));
      }
    }
  }

  bool before(int host, std::int64_t at_ns) const {
    const std::vector<Sent>& sent = of_host_[static_cast<std::size_t>(host)];
    const auto next = std::lower_bound(sent.begin(), sent.end(), static_cast<double>(at_ns),
                                       [](const Sent& one, double at) { return one.at_ns < at; });
    return next != sent.begin() && std::prev(next)->arrived_ns > static_cast<double>(at_ns);
  }

 private:
  struct Sent {
    double at_ns, busy_ns, rest_ns;  // of the port, and of the way after it
    double arrived_ns;  // as the receiver saw it; then the earlier of that and what the model says
  };
  std::vector<std::vector<Sent>> of_host_;
};

class Samples {
 public:
  Samples(const Trace& trace, const Program& program, const Link& link)
      : trace_(trace), program_(program), link_(link), under_way_(trace, program, link) {}

  void take_messages() {
    for (const Message& m : trace_.messages) {
      if (m.source == m.destination || m.send_call == none || m.recv_done_call == none ||
          m.recv_post_call == none)
        continue;
      if (actions(m.source, m.send_call) > 2 || actions(m.destination, m.recv_done_call) > 2) continue;
      take(m.source, m.send_call, m.destination, m.recv_done_call, m.bytes);
    }
  }

  // Of two members, in an exchange of one message each way: the one that came first waits for the other's
  // message.
  void take_exchanges() {
    for (const Collective& c : trace_.collectives) {
      if (c.members.size() != 2) continue;
      if (c.op != CollectiveOp::barrier && c.op != CollectiveOp::allreduce) continue;
      const std::uint64_t bytes = c.op == CollectiveOp::barrier ? 0 : c.members[0].bytes_sent;
      if (bytes >= 4096) continue;  // other algorithms
      for (std::size_t late = 0; late < 2; ++late) {
        const CollectiveMember &sender = c.members[late], &receiver = c.members[1 - late];
        if (sender.call != none && receiver.call != none)
          take(sender.rank, sender.call, receiver.rank, receiver.call, bytes);
      }
    }
  }

  // By sending and receiving host.
  const std::map<std::pair<int, int>, std::vector<Sample>>& directions() const { return directions_; }

 private:
  const RankTrace& rank(std::int32_t number) const { return trace_.ranks[static_cast<std::size_t>(number)]; }
  std::size_t actions(std::int32_t number, std::uint32_t call) const {
    return rank(number).first_action[call + 1] - rank(number).first_action[call];
  }
  int host(std::int32_t number) const { return program_.ranks[static_cast<std::size_t>(number)].host; }

  void take(std::int32_t from, std::uint32_t send_call, std::int32_t to, std::uint32_t receive_call,
            std::uint64_t bytes) {
    if (host(from) == host(to) || link_.rendezvous(static_cast<double>(bytes))) return;
    const std::int64_t sent_ns = rank(from).enter_ns[send_call];
    if (sent_ns < rank(from).begin_ns || rank(to).enter_ns[receive_call] >= sent_ns) return;
    if (under_way_.before(host(from), sent_ns)) return;
    const double one_way_s = link_.one_way.at(static_cast<double>(bytes));
    const double recorded_s = static_cast<double>(rank(to).leave_ns[receive_call] - sent_ns) * 1e-9;
    directions_[{host(from), host(to)}].push_back({recorded_s - one_way_s, one_way_s});
  }

  const Trace& trace_;
  const Program& program_;
  const Link& link_;
  UnderWay under_way_;
  std::map<std::pair<int, int>, std::vector<Sample>> directions_;
};

}  // namespace

Calibration calibrate(const Trace& trace, const Program& program, const MachineModel& model) {
  Calibration out;
  const Link* link = model.link(Place::inter);
  if (!link || link->one_way.empty()) return out;
  Samples samples(trace, program, *link);
  samples.take_messages();
  samples.take_exchanges();
  double sum_s = 0, one_way_s = 0;
  int directions = 0;
  for (const auto& [hosts, there] : samples.directions()) {
    const auto back = samples.directions().find({hosts.second, hosts.first});
    if (back == samples.directions().end() || there.size() < enough_of_a_direction ||
        back->second.size() < enough_of_a_direction)
      continue;
    std::vector<double> excess_s;
    for (const Sample& sample : there) {
      excess_s.push_back(sample.excess_s);
      one_way_s += sample.one_way_s;
    }
    std::nth_element(excess_s.begin(), excess_s.begin() + static_cast<std::ptrdiff_t>(excess_s.size() / 2),
                     excess_s.end());
    sum_s += excess_s[excess_s.size() / 2];
    ++directions;
    out.messages += there.size();
  }
  if (directions == 0) return out;
  out.extra_software_s = sum_s / directions;
  out.one_way_s = one_way_s / static_cast<double>(out.messages);
  return out;
}

}  // namespace ww::simulate

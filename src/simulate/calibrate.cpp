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
  UnderWay(const Program& program, const Link& link) : of_host_(program.hosts.size()) {
    std::vector<double> free_ns(program.hosts.size(), 0), arrived_ns(program.hosts.size(), 0);
    for (const HandedOver& one : program.crossings.handed_over) {
      const auto host = static_cast<std::size_t>(one.host);
      const auto size = static_cast<double>(one.bytes), at_ns = static_cast<double>(one.at_ns);
      const double seen_ns = one.arrived_ns == HandedOver::never ? std::numeric_limits<double>::infinity()
                                                                 : static_cast<double>(one.arrived_ns);
      const double busy_s =
          link.wire ? link.wire->port_busy_s(size) : link.one_way.segment_at(size).seconds_per_byte * size;
      const double rest_s = std::max(0.0, link.one_way.at(size) - busy_s);
      free_ns[host] = std::min(std::max(free_ns[host], at_ns) + busy_s * 1e9, seen_ns);
      arrived_ns[host] = std::max(arrived_ns[host], std::min(free_ns[host] + rest_s * 1e9, seen_ns));
      of_host_[host].push_back({at_ns, arrived_ns[host]});
    }
  }

  bool before(std::int32_t host, std::int64_t at_ns) const {
    const std::vector<Sent>& sent = of_host_[static_cast<std::size_t>(host)];
    const auto next = std::lower_bound(sent.begin(), sent.end(), static_cast<double>(at_ns),
                                       [](const Sent& one, double at) { return one.at_ns < at; });
    return next != sent.begin() && std::prev(next)->arrived_ns > static_cast<double>(at_ns);
  }

 private:
  struct Sent {
    double at_ns;
    double arrived_ns;  // by then all up to this one: the earlier of what was seen and what the model says
  };
  std::vector<std::vector<Sent>> of_host_;
};

// By sending and receiving host.
std::map<std::pair<int, int>, std::vector<Sample>> samples_of(const Program& program, const Link& link) {
  const UnderWay under_way(program, link);
  std::map<std::pair<int, int>, std::vector<Sample>> out;
  for (const Crossing& one : program.crossings.waited_for) {
    const auto size = static_cast<double>(one.bytes);
    if (link.rendezvous(size) || under_way.before(one.from_host, one.sent_ns)) continue;
    const double one_way_s = link.one_way.at(size);
    const double recorded_s = static_cast<double>(one.received_ns - one.sent_ns) * 1e-9;
    out[{one.from_host, one.to_host}].push_back({recorded_s - one_way_s, one_way_s});
  }
  return out;
}

}  // namespace

Calibration calibrate(const Program& program, const MachineModel& model) {
  Calibration out;
  const Link* link = model.link(Place::inter);
  if (!link || link->one_way.empty()) return out;
  const auto samples = samples_of(program, *link);
  double sum_s = 0, one_way_s = 0;
  int directions = 0;
  for (const auto& [hosts, there] : samples) {
    const auto back = samples.find({hosts.second, hosts.first});
    if (back == samples.end() || there.size() < enough_of_a_direction ||
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

// Which recorded messages had nothing in their way.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "machine/model.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

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

}  // namespace ww::simulate

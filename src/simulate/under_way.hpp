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
      all_.push_back({at_ns, arrived_ns[host], one.host, one.to_host});
    }
    std::stable_sort(all_.begin(), all_.end(), [](const Way& a, const Way& b) { return a.at_ns < b.at_ns; });
    double last_ns = 0;
    for (const Way& one : all_) last_arrived_ns_.push_back(last_ns = std::max(last_ns, one.arrived_ns));
  }

  // Whether something shared a port with what went from one host to another then: from that host to a third
  // one, or to this one from a third. (What follows on the same way does not pass it.) A collective's parts go
  // anywhere.
  bool beside(std::int32_t from, std::int32_t to, std::int64_t sent_ns, std::int64_t received_ns) const {
    if (of_host_.size() < 3) return false;
    const auto sent = static_cast<double>(sent_ns), received = static_cast<double>(received_ns);
    auto i =
        static_cast<std::size_t>(std::lower_bound(all_.begin(), all_.end(), received,
                                                  [](const Way& one, double at) { return one.at_ns < at; }) -
                                 all_.begin());
    while (i-- > 0 && last_arrived_ns_[i] > sent) {
      const Way& one = all_[i];
      if (one.arrived_ns <= sent || (one.from == from && one.to == to)) continue;
      const bool comes_here = one.to == to || one.to == HandedOver::somewhere;
      if (one.from == from ? one.at_ns > sent : comes_here) return true;
    }
    return false;
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
  struct Way {
    double at_ns, arrived_ns;
    std::int32_t from, to;
  };
  std::vector<std::vector<Sent>> of_host_;
  std::vector<Way> all_;                 // by time
  std::vector<double> last_arrived_ns_;  // of it and all before
};

}  // namespace ww::simulate

#include "base/tcp_stalls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace ww {
namespace {

// Of what was sent; fewer are no cause of anything: a probe of an idle connection counts as one.
constexpr double fewest_again = 10, smallest_part_again = 0.001;

}  // namespace

Diagnostics tcp_stalls_in(const RunRecord& run) {
  Diagnostics said;
  if (run.in_virtual_time) return said;
  // The ranks of a host say the same of it, each from its own begin to its own end.
  std::map<std::string, RunRecord::Tcp> hosts;
  const auto keep = [](double& most, double value) { most = std::max(most, value); };
  for (const RunRecord::Rank& rank : run.ranks) {
    RunRecord::Tcp& host = hosts[rank.host];
    keep(host.sent, rank.tcp.sent);
    keep(host.retransmitted, rank.tcp.retransmitted);
    keep(host.timeouts, rank.tcp.timeouts);
    keep(host.probes, rank.tcp.probes);
    keep(host.no_room, rank.tcp.no_room);
  }
  if (hosts.size() < 2) return said;  // what TCP does there is others'
  double sent = 0, again = 0, timeouts = 0, probes = 0, no_room = 0;
  std::string where;
  for (const auto& [name, host] : hosts) {
    sent += std::max(0.0, host.sent);
    again += std::max(0.0, host.retransmitted);
    timeouts += std::max(0.0, host.timeouts);
    probes += std::max(0.0, host.probes);
    no_room += std::max(0.0, host.no_room);
    if (host.timeouts > 0 || host.retransmitted > 0) where += (where.empty() ? "" : ", ") + name;
  }
  if (timeouts <= 0 && (again < fewest_again || again < smallest_part_again * sent)) return said;
  const std::string room =
      no_room > 0
          ? fmt::format(
                "; {:.0f} times a socket had no room for what came: larger socket buffers help{}", no_room,
                run.in_lab ? ", or cards that hand over three frames at once (lab up --at-once 3)" : "")
          : std::string();
  if (timeouts > 0)
    said.add(
        "tcp-timeouts",
        fmt::format(
            "TCP ({}) waited for {:.0f} time-outs, of 0.2 s or more each on Linux, and sent {:.0f} segments "
            "again while the program ran{}: this time is neither the wire's nor the program's, and "
            "another network has more or less of it",
            where, timeouts, again, room),
        static_cast<std::uint64_t>(timeouts));
  else
    said.add(
        "tcp-retransmitted",
        fmt::format(
            "TCP ({}) sent {:.0f} segments again while the program ran, {:.0f} of them to find out what had "
            "come, without a time-out{}: each is a wait of some round trips that another network need not "
            "have",
            where, again, std::min(again, probes), room),
        static_cast<std::uint64_t>(again));
  return said;
}

}  // namespace ww

// What the network interfaces of this host have sent and received. From /proc/self/net/dev, which shows the
// network namespace of this process (/sys/class/net may show another's).
#pragma once
#include <cstdint>
#include <string>

namespace ww::measure {

struct InterfaceCounters {
  std::int64_t sent_bytes = 0, sent_frames = 0, received_bytes = 0,
               received_frames = 0;  // all but the loopback
  std::int64_t dropped = 0;
  InterfaceCounters operator-(const InterfaceCounters& before) const;
};

// `dev`: the text of /proc/net/dev.
InterfaceCounters parse_counters(const std::string& dev);
InterfaceCounters read_counters();
// The largest maximum transmission unit of the interfaces that are up, but the loopback; 0 if there is none.
std::int64_t largest_mtu();

}  // namespace ww::measure

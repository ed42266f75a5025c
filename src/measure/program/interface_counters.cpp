#include "measure/program/interface_counters.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ww::measure {

InterfaceCounters InterfaceCounters::operator-(const InterfaceCounters& before) const {
  return {sent_bytes - before.sent_bytes, sent_frames - before.sent_frames,
          received_bytes - before.received_bytes, received_frames - before.received_frames,
          dropped - before.dropped};
}

InterfaceCounters parse_counters(const std::string& dev) {
  InterfaceCounters sum;
  std::istringstream lines(dev);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;  // the two lines of the head
    std::istringstream name(line.substr(0, colon)), fields(line.substr(colon + 1));
    std::string interface;
    name >> interface;
    // received: bytes packets errs drop fifo frame compressed multicast; sent: bytes packets errs drop ...
    std::array<std::int64_t, 12> column{};
    for (auto& value : column) fields >> value;
    if (interface == "lo" || !fields) continue;
    sum.received_bytes += column[0];
    sum.received_frames += column[1];
    sum.sent_bytes += column[8];
    sum.sent_frames += column[9];
    sum.dropped += column[3] + column[11];
  }
  return sum;
}

InterfaceCounters read_counters() {
  std::ifstream in("/proc/self/net/dev");
  std::ostringstream text;
  text << in.rdbuf();
  return parse_counters(text.str());
}

std::int64_t largest_mtu() {
  ifaddrs* all = nullptr;
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0 || getifaddrs(&all) != 0) {
    if (any >= 0) close(any);
    return 0;
  }
  std::int64_t largest = 0;
  for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
    if ((at->ifa_flags & IFF_LOOPBACK) != 0 || (at->ifa_flags & IFF_UP) == 0) continue;
    ifreq request{};
    std::strncpy(request.ifr_name, at->ifa_name, IFNAMSIZ - 1);
    if (ioctl(any, SIOCGIFMTU, &request) == 0) largest = std::max<std::int64_t>(largest, request.ifr_mtu);
  }
  freeifaddrs(all);
  close(any);
  return largest;
}

}  // namespace ww::measure

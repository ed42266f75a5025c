// What went over one channel of a network: a link in one direction, or a port.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace ww {

struct ChannelUse {
  std::string name;  // "node 3 to node 7"
  std::uint64_t messages = 0;
  double bytes = 0;        // with their headers
  double busy_s = 0;       // something was on it
  double bytes_per_s = 0;  // that it can carry; 0: what it takes is not a matter of bytes alone
};

// So many are told of, the busiest.
inline constexpr std::size_t most_told_channels = 256;

}  // namespace ww

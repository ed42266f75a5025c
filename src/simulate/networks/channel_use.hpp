// What went over one channel of a network: a link in one direction, or a port.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ww {

struct ChannelUse {
  std::string name;  // "node 3 to node 7"
  std::uint64_t messages = 0;
  double bytes = 0;        // with their headers
  double busy_s = 0;       // something was on it
  double bytes_per_s = 0;  // that it can carry; 0: what it takes is not a matter of bytes alone
};

// A list of those of a run of that length, as `simulate --json` has it; at most so many.
nlohmann::json channels_json(const std::vector<ChannelUse>& channels, double elapsed_s, std::size_t most);

}  // namespace ww

#include "simulate/networks/channel_use.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ww {

nlohmann::json channels_json(const std::vector<ChannelUse>& channels, double elapsed_s, std::size_t most) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most, channels.size()); ++i) {
    const ChannelUse& one = channels[i];
    const bool has_rate = one.bytes_per_s > 0 && elapsed_s > 0;
    list.push_back(
        {{"channel", one.name},
         {"messages", one.messages},
         {"bytes", one.bytes},
         {"busy_s", one.busy_s},
         {"utilisation", elapsed_s > 0 ? one.busy_s / elapsed_s : 0},
         {"filled", has_rate ? nlohmann::json(one.bytes / one.bytes_per_s / elapsed_s) : nlohmann::json()}});
  }
  return list;
}

}  // namespace ww

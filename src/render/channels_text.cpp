#include "render/channels_text.hpp"

#include <fmt/format.h>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/table.hpp"

namespace ww {

std::string show_channels(const Prediction& prediction) {
  const SimulatedNetwork& network = prediction.simulated.network;
  const std::string title =
      fmt::format("\nChannels of {}", prediction.what_if.empty() ? "the network" : prediction.what_if);
  if (network.channels.empty())
    return fmt::format(
        "{}: network {} tells of none; those of torus, hypercube, fat-tree, dragonfly and switch do\n", title,
        network.name);
  const double elapsed_s = prediction.simulated.elapsed_s;
  constexpr std::size_t most = 20;
  Table table({"channel", "messages", "bytes", "busy", "utilisation", "filled"}, 1);
  for (std::size_t i = 0; i < network.channels.size() && i < most; ++i) {
    const ChannelUse& one = network.channels[i];
    table.add({one.name, fmt::format("{}", one.messages), show_bytes(one.bytes), show_time(one.busy_s),
               percent(one.busy_s, elapsed_s),
               one.bytes_per_s > 0 ? percent(one.bytes / one.bytes_per_s, elapsed_s) : ""});
  }
  std::string text = title +
                     ": busy while something was on it, filled by the bytes that it could have carried\n" +
                     table.text();
  if (network.channels.size() > most)
    text += fmt::format("and {} more that carried something (--json has the first {})\n",
                        network.channels.size() - most, most_told_channels);
  return text;
}

}  // namespace ww

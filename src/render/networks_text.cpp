#include "render/networks_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulate/simulate.hpp"

namespace ww {

std::string show_networks() {
  std::string out;
  for (const NetworkHelp& network : known_networks()) {
    const std::string keys =
        network.keys.empty() ? std::string() : fmt::format(" ({})", fmt::join(network.keys, ", "));
    out += fmt::format("  {:<10} {}{}\n", network.name, network.says, keys);
  }
  return out;
}

}  // namespace ww

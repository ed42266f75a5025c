#include "machine/network_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ww {

Result<NetworkSpec> parse_network_spec(std::string_view text) {
  NetworkSpec spec;
  spec.text = std::string(text);
  const auto bad = [&](const std::string& what) {
    return wrong_usage(what, fmt::format("network '{}'", spec.text),
                       "write it like NAME:KEY=VALUE:KEY=VALUE, as in fat-tree:k=8");
  };
  const auto colon = text.find(':');
  spec.name = std::string(text.substr(0, colon));
  if (spec.name.empty()) return bad("a network without a name");
  while (text.find(':') != std::string_view::npos) {
    text.remove_prefix(text.find(':') + 1);
    const std::string_view part = text.substr(0, text.find(':'));
    const auto equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == part.size())
      return bad(fmt::format("'{}' is not KEY=VALUE", part));
    const std::string key(part.substr(0, equals));
    if (std::any_of(spec.keys.begin(), spec.keys.end(),
                    [&](const auto& known) { return known.first == key; }))
      return bad(fmt::format("the key '{}' is given twice", key));
    spec.keys.emplace_back(key, std::string(part.substr(equals + 1)));
  }
  return spec;
}

}  // namespace ww

// "bus", "fat-tree:k=8", "torus:dims=4x4x4:link=10Gbit": a network by name, with what it is built from. Which
// names and keys there are the simulator knows (src/simulate/networks/registry.hpp).
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace ww {

struct NetworkSpec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> keys;  // as written; no key twice
  std::string text;                                       // as the user wrote it
};

Result<NetworkSpec> parse_network_spec(std::string_view text);

}  // namespace ww

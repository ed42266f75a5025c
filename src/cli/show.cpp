#include "cli/show.hpp"

#include <fmt/format.h>

#include "analyze/show.hpp"

namespace ww::cli {

void show_diagnostics(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", show(diagnostics));
}

void say(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print(stderr, "whatwire: {}\n", line);
}

}  // namespace ww::cli

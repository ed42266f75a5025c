#include "cli/show.hpp"

#include <cstdio>

#include "render/diagnostics.hpp"

namespace ww::cli {

void tell(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void show_diagnostics(const Diagnostics& diagnostics) {
  tell(show(diagnostics));
}

void say(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) tell("whatwire: " + line + "\n");
}

}  // namespace ww::cli

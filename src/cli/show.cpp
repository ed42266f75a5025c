#include "cli/show.hpp"

#include <fmt/format.h>

#include "analyze/show.hpp"

namespace ww::cli {

void add_lab_option(CLI::App& command, std::optional<std::string>& lab) {
  command
      .add_option_function<std::string>(
          "--lab", [&lab](const std::string& name) { lab = name.empty() ? "default" : name; },
          "Run on the hosts of this lab (see whatwire lab; without NAME: default)")
      ->expected(0, 1)
      ->type_name("NAME");
}

void show_diagnostics(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", show(diagnostics));
}

}  // namespace ww::cli

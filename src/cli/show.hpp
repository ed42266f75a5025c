// Diagnostics and notes on the terminal, as all subcommands show them.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace ww::cli {

// On standard error. That it cannot be written ends no work.
void tell(const std::string& text);

// On standard error: severity, name, count, remedy of each.
void show_diagnostics(const Diagnostics& diagnostics);
// On standard error, each a line of its own: what became of an earlier result.
void say(const std::vector<std::string>& lines);

}  // namespace ww::cli

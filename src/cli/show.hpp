// Diagnostics on the terminal, as all subcommands show them.
#pragma once
#include "base/diagnostic.hpp"

namespace ww::cli {

// On standard error: severity, name, count, remedy of each.
void show_diagnostics(const Diagnostics& diagnostics);

}  // namespace ww::cli

// What several subcommands share: options that mean the same everywhere, and diagnostics on the terminal.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"

namespace ww::cli {

// --lab [NAME]: run on the hosts of a lab; without NAME, of the lab named "default".
void add_lab_option(CLI::App& command, std::optional<std::string>& lab);

// On standard error: severity, name, count, remedy of each.
void show_diagnostics(const Diagnostics& diagnostics);

}  // namespace ww::cli

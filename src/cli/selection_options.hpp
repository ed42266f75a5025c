// The options that name a part of a trace.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "analyze/selection.hpp"

namespace ww::cli {

// As they were given.
struct SelectionOptions {
  std::optional<std::string> from, to, ranks, calls, peers, threads;
};

// --from, --to, --ranks, --calls, --peers, --threads
void add_selection(CLI::App& command, SelectionOptions& options);
// Errors: what is no time, no list of numbers, no list of calls.
Result<Selection> selection_of(const SelectionOptions& options);
// An instant of the run: "1.5" (seconds) or "20ms". Errors name the option.
Result<double> instant_of(const char* option, const std::string& text);

}  // namespace ww::cli

// The subcommands of `whatwire`: one file each, registered in one line of the list below.
#pragma once
#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::cli {

// What the command line asked for. A subcommand's add_ function declares its options and, when it is the one
// that was given, sets `action`, which does the work and gives the exit code (0 success, 1 the work failed).
struct Chosen {
  std::vector<std::string> launch;    // everything behind the first "--": the user's LAUNCH, untouched
  std::vector<std::size_t> programs;  // which of its words are programs (--program), the first being number 1
  // The subcommands that take one, and what their help calls it.
  std::map<const CLI::App*, std::string> launching;
  std::string settings_file;  // --config; with_settings (settings.hpp) has read it already
  std::function<Result<int>()> action;
};

// In the order of the help: one line a subcommand, whose file defines add_NAME.
#define WW_COMMANDS(ONE) \
  ONE(study)             \
  ONE(measure)           \
  ONE(record)            \
  ONE(report)            \
  ONE(view)              \
  ONE(simulate)          \
  ONE(dilate)            \
  ONE(compare)           \
  ONE(export)            \
  ONE(import)            \
  ONE(convert)           \
  ONE(summary)           \
  ONE(unify)             \
  ONE(instrument)        \
  ONE(init)              \
  ONE(machine)           \
  ONE(lab)               \
  ONE(explain)           \
  ONE(doctor)

#define WW_DECLARE(name) void add_##name(CLI::App& root, Chosen& chosen);
WW_COMMANDS(WW_DECLARE)
#undef WW_DECLARE

using Add = void (*)(CLI::App&, Chosen&);
#define WW_ADDRESS(name) add_##name,
inline constexpr Add commands[] = {WW_COMMANDS(WW_ADDRESS)};
#undef WW_ADDRESS

}  // namespace ww::cli

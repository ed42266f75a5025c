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
  std::function<Result<int>()> action;
};

void add_compare(CLI::App& root, Chosen& chosen);
void add_dilate(CLI::App& root, Chosen& chosen);
void add_doctor(CLI::App& root, Chosen& chosen);
void add_export(CLI::App& root, Chosen& chosen);
void add_import(CLI::App& root, Chosen& chosen);
void add_lab(CLI::App& root, Chosen& chosen);
void add_machine(CLI::App& root, Chosen& chosen);
void add_measure(CLI::App& root, Chosen& chosen);
void add_report(CLI::App& root, Chosen& chosen);
void add_record(CLI::App& root, Chosen& chosen);
void add_simulate(CLI::App& root, Chosen& chosen);
void add_study(CLI::App& root, Chosen& chosen);
void add_summary(CLI::App& root, Chosen& chosen);
void add_unify(CLI::App& root, Chosen& chosen);

using Add = void (*)(CLI::App&, Chosen&);
inline constexpr Add commands[] = {
    add_study,  add_measure, add_record,  add_report, add_simulate, add_dilate, add_compare,
    add_export, add_import,  add_summary, add_unify,  add_machine,  add_lab,    add_doctor,
};

}  // namespace ww::cli

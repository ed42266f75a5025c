// Options that mean the same in every subcommand that has them, and what a subcommand does when it is given.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/new_result.hpp"
#include "cli/commands.hpp"
#include "lab/name.hpp"

namespace ww::cli {

// TRACE
void add_trace(CLI::App& command, std::string& trace);
// --machine M.json
CLI::Option* add_model(CLI::App& command, std::string& file, const std::string& about);
// -o,--output DIR
void add_directory(CLI::App& command, std::string& directory, const std::string& about);
// --force: an earlier result is replaced and not kept as NAME.old.
void add_force(CLI::App& command, bool& force);
inline owned::Previous previous_of(bool force) {
  return force ? owned::Previous::replace : owned::Previous::keep;
}
// NAME D,...: dilation factors
void add_factors(CLI::App& command, const char* name, std::vector<double>& factors, const std::string& about);
// --repeat N
void add_repeat(CLI::App& command, int& repeat, const std::string& about);
// --lab [NAME]: run on the hosts of a lab; without NAME, of the lab named "default".
void add_lab_option(CLI::App& command, std::optional<lab::LabName>& lab);
// --name NAME: which lab.
void add_lab_name(CLI::App& command, std::optional<lab::LabName>& name);
// Of options that take a number: within these bounds, which "nan" and "inf" are not.
CLI::Validator number_within(double least, double most);
// --config FILE: settings.hpp
void add_config(CLI::App& command, Chosen& chosen);
// --program N: which word of LAUNCH is the program
void add_program_option(CLI::App& command, Chosen& chosen);
// --json
CLI::Option* add_json(CLI::App& command, bool& json);

template <class Options>
void act(CLI::App& command, Chosen& chosen, const std::shared_ptr<Options>& options,
         Result<int> (*work)(const Options&)) {
  command.callback([&chosen, options, work] { chosen.action = [options, work] { return work(*options); }; });
}
// The same of a subcommand that takes a LAUNCH.
template <class Options>
void act(CLI::App& command, Chosen& chosen, const std::shared_ptr<Options>& options,
         Result<int> (*work)(const Options&, const std::vector<std::string>& launch)) {
  chosen.launching[&command] = "LAUNCH";
  command.callback([&chosen, options, work] {
    chosen.action = [&chosen, options, work] { return work(*options, chosen.launch); };
  });
}

}  // namespace ww::cli

#include "cli/options.hpp"

#include <fmt/format.h>

namespace ww::cli {

void add_trace(CLI::App& command, std::string& trace) {
  command.add_option("TRACE", trace, "Trace directory, or the anchor of any OTF2 archive")->required();
}

CLI::Option* add_model(CLI::App& command, std::string& file, const std::string& about) {
  return command.add_option("--machine", file, about)->type_name("M.json");
}

void add_directory(CLI::App& command, std::string& directory, const std::string& about) {
  command.add_option("-o,--output", directory, about)->type_name("DIR");
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force,
                   "Replace an earlier result of that name instead of keeping it as NAME.old");
}

void add_factors(CLI::App& command, const char* name, std::vector<double>& factors,
                 const std::string& about) {
  command.add_option(name, factors, about)->type_name("D,...")->delimiter(',')->check(number_within(0, 1e6));
}

void add_repeat(CLI::App& command, int& repeat, const std::string& about) {
  command.add_option("--repeat", repeat, about)
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(1, 100).description(""));
}

namespace {

// Checked while the command line is read: nothing has been touched yet.
lab::LabName parsed(const char* option, const std::string& text) {
  auto name = lab::LabName::parse(text);
  if (!name) throw CLI::ValidationError(option, name.error().what + ": " + name.error().where);
  return *std::move(name);
}

}  // namespace

void add_lab_option(CLI::App& command, std::optional<lab::LabName>& lab) {
  command
      .add_option(
          "--lab",
          [&lab](const CLI::results_t& given) {
            lab = parsed("--lab", given.at(0));
            return true;
          },
          "Run on the hosts of this lab (see whatwire lab)")
      ->expected(0, 1)
      ->default_str(lab::LabName().text())  // of --lab without NAME
      ->type_name("NAME");
}

void add_lab_name(CLI::App& command, std::optional<lab::LabName>& name) {
  command.add_option_function<std::string>(
      "--name", [&name](const std::string& text) { name = parsed("--name", text); },
      "Which lab (default: \"default\")");
}

void add_config(CLI::App& command, Chosen& chosen) {
  command
      .add_option("--config", chosen.settings_file,
                  "Take from this file what is not said here (whatwire init writes one)")
      ->type_name("FILE");
}

CLI::Validator number_within(double least, double most) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        double number = 0;
        if (!CLI::detail::lexical_cast(text, number) || !(number >= least && number <= most))
          return fmt::format("{} is not a number from {:g} to {:g}", text, least, most);
        return "";
      },
      "");
}

void add_program_option(CLI::App& command, Chosen& chosen) {
  command
      .add_option(
          "--program", chosen.programs,
          "Which word of LAUNCH is the program, counted from 1 (N,N where several are joined by \":\"):\n"
          "where the launcher has an option that is not known here. The word -- in front of the program\n"
          "says it, too")
      ->type_name("N")
      ->delimiter(',')
      ->check(CLI::PositiveNumber.description(""));
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "One JSON object on standard output");
}

}  // namespace ww::cli

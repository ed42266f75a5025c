// whatwire instrument: copies of sources that say regions and values themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "instrument/instrument.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::vector<std::string> sources, functions, watches;
  std::string directory, database;
  bool force = false, json = false;
};

nlohmann::json to_json(const instrument::Instrumented& done) {
  nlohmann::json files = nlohmann::json::array(), notes = nlohmann::json::array();
  for (const auto& file : done.files)
    files.push_back({{"source", file.source},
                     {"copy", file.copy},
                     {"regions", file.regions},
                     {"values", file.values},
                     {"places", file.places}});
  for (const auto& note : done.notes)
    notes.push_back({{"file", note.file}, {"line", note.line}, {"text", note.text}});
  return {{"directory", done.directory.string()},
          {"files", files},
          {"notes", notes},
          {"link_flags", done.link_flags}};
}

void show(const instrument::Instrumented& done) {
  for (const auto& note : done.notes) tell(printable(instrument::to_string(note)) + "\n");
  for (const auto& file : done.files) {
    fmt::print("{}\n", printable(file.copy));
    if (!file.regions.empty())
      fmt::print("  {} regions: {}\n", file.regions.size(),
                 printable(fmt::format("{}", fmt::join(file.regions, ", "))));
    if (!file.values.empty())
      fmt::print("  {} values in {} places: {}\n", file.values.size(), file.places,
                 printable(fmt::format("{}", fmt::join(file.values, ", "))));
    if (file.regions.empty() && file.values.empty()) fmt::print("  nothing to say\n");
  }
  fmt::print("compile these in place of their originals, and link with {}\n", done.link_flags);
}

Result<int> work(const Options& options, const std::vector<std::string>& compiler) {
  if (options.functions.empty() && options.watches.empty())
    return wrong_usage("nothing to instrument", "",
                       "name functions (--functions '*') or a variable (--watch residual)");
  if (options.sources.empty() && options.database.empty())
    return wrong_usage("no source is named", "",
                       "name sources, or with -p the directory of compile_commands.json");
  if (!options.database.empty() && !compiler.empty())
    return wrong_usage("flags from two places", "-p with --", "leave one of them out");
  instrument::InstrumentOptions how;
  how.sources = options.sources;
  how.functions = options.functions;
  how.watches = options.watches;
  how.directory = options.directory;
  how.database = options.database;
  how.compiler = compiler;
  how.previous = previous_of(options.force);
  WW_TRY(const auto done, instrument::instrument(how));
  say(done.said);
  if (options.json)
    fmt::print("{}\n", json_text(to_json(done), 2));
  else
    show(done);
  return 0;
}

}  // namespace

void add_instrument(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand(
      "instrument",
      "Copies of sources in C, C++ and Fortran that record functions as regions, and variables");
  command->footer(
      "The sources stay as they are; messages and debuggers name their lines. What is left out is said with "
      "its line.\n"
      "COMPILER FLAGS: as the sources are compiled, or flags alone; without: from a compile_commands.json "
      "near "
      "the\n"
      "source, else mpicc, mpicxx or mpif90 of PATH. A program of the copies needs no recorder to run. "
      "docs/instrument.md\n\n"
      "Examples: whatwire instrument --functions 'solve*,!*_inner' --watch residual@solve -o copy solve.c -- "
      "mpicc -O2\n"
      "          whatwire instrument --functions '*' -p build -o copy src/solve.cpp src/solve.hpp");
  auto options = std::make_shared<Options>();
  command->add_option("source", options->sources,
                      "Sources, and headers that they include; with -p: all of the list, if none is named");
  command
      ->add_option(
          "--functions", options->functions,
          "Functions that become regions, by patterns (* ? [a-z]), separated by commas; !PATTERN excludes")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option(
          "--watch", options->watches,
          "A variable whose value is recorded after each assignment: residual, p->x, a[3], a[i], or with\n"
          "its function residual@solve; of an array or structure all elements and members; may be repeated")
      ->type_name("VAR")
      ->allow_extra_args(false);
  command->add_option("-p,--database", options->database, "Where compile_commands.json is")
      ->type_name("BUILD_DIR");
  add_directory(*command, options->directory, "Directory of the copies; an earlier one becomes NAME.old");
  command->get_option("--output")->required();
  add_force(*command, options->force);
  add_config(*command, chosen);
  add_json(*command, options->json);
  act(*command, chosen, options, work);
  chosen.launching[command] = "COMPILER FLAGS";
}

}  // namespace ww::cli

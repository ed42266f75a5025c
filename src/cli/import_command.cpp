// whatwire import: another tool's program, compiled for replay.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "cli/simulate_schedule.hpp"
#include "simulate/imported.hpp"
#include "simulate/schedule/file.hpp"
#include "trace/archive_entries.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string file, output;
  bool force = false, json = false;
};

Result<int> work(const Options& options) {
  const simulate::ImportForm& form = simulate::import_form_of(options.file);
  WW_TRY(const schedule::Schedule program, form.read(options.file));
  nlohmann::json assumed = nlohmann::json::array();
  if (*form.assumes != '\0') assumed.push_back(form.assumes);
  WW_TRY(auto result, owned::NewResult::begin(options.output, trace_kind, previous_of(options.force)));
  WW_CHECK(schedule::save(program,
                          {{"imported_from", options.file}, {"form", form.name}, {"assumptions", assumed}},
                          result.directory() / schedule_name));
  const auto bytes = std::filesystem::file_size(result.directory() / schedule_name);
  WW_TRY(const auto said, result.publish());
  say(said);
  if (options.json)
    fmt::print("{}\n", json_text({{"trace", options.output},
                                  {"form", form.name},
                                  {"assumptions", assumed},
                                  {"ranks", program.ranks()},
                                  {"operations", program.size()},
                                  {"messages", program.messages},
                                  {"events", program.events()},
                                  {"wildcard_receives", program.wildcards},
                                  {"bytes", bytes}},
                                 2));
  else
    fmt::print("{}: {} ranks, {} operations, {} messages{}{}\n", options.output, program.ranks(),
               program.size(), program.messages, assumed.empty() ? "" : "; ", form.assumes);
  return 0;
}

}  // namespace

void add_import(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("import", "Another tool's program, compiled for replay");
  std::string forms = "Reads:\n";
  for (const simulate::ImportForm& form : simulate::import_forms()) forms += fmt::format("{}\n", form.says);
  command->footer(
      forms +
      "Simulate what it makes on a model with LogGOPS parameters (the preset loggops-default has\n"
      "LogGOPSim's), or on any other.\n"
      "An OTF2 archive of another tool needs no import: give its path wherever a TRACE is wanted.\n\n"
      "Example:  whatwire import allreduce.goal -o allreduce.ww\n"
      "          whatwire simulate allreduce.ww --machine loggops-default --explain\n"
      "          whatwire import run.s4 -o stations.ww    # simulate run.s4 plays it by S4's own rules");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "The schedule, or the directory of stations")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", options->output, "The directory to make")->required()->type_name("DIR");
  add_force(*command, options->force);
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli

// whatwire import: another tool's program, compiled for replay, or its recorded run as a trace.
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
#include "trace/prase/trace_of_prase.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string file, output;
  bool force = false, json = false;
};

// A recorded run: PRASE's.
Result<int> import_run(const Options& options) {
  WW_TRY(const prase::PraseRun run, prase::read_prase_run(options.file));
  WW_TRY(const prase::PraseTrace imported, prase::trace_of(run));
  WW_TRY(auto result, owned::NewResult::begin(options.output, trace_kind, previous_of(options.force)));
  WW_CHECK(prase::write_imported(imported, options.file, result.directory()));
  WW_TRY(const auto said, result.publish());
  say(said);
  if (options.json) {
    fmt::print("{}\n", json_text({{"trace", options.output},
                                  {"form", prase::records_form},
                                  {"ranks", imported.processes.size()},
                                  {"messages", imported.messages},
                                  {"unmatched_sends", imported.sends_alone},
                                  {"unmatched_receives", imported.receipts_alone},
                                  {"diagnostics", imported.trace.diagnostics}},
                                 2));
    return 0;
  }
  show_diagnostics(imported.trace.diagnostics);
  fmt::print("{}: {} ranks, {} messages, {} sends and {} receipts without their other end\n", options.output,
             imported.processes.size(), imported.messages, imported.sends_alone, imported.receipts_alone);
  return 0;
}

Result<int> work(const Options& options) {
  if (prase::holds_prase_records(options.file)) return import_run(options);
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
  auto* command =
      root.add_subcommand("import", "Another tool's program, compiled for replay, or its recorded run");
  std::string forms = "Reads:\n";
  for (const simulate::ImportForm& form : simulate::import_forms()) forms += fmt::format("{}\n", form.says);
  command->footer(
      forms +
      "Simulate what it makes on a model with LogGOPS parameters (the preset loggops-default has\n"
      "LogGOPSim's), or on any other.\n"
      "An OTF2 archive of another tool needs no import: give its path wherever a TRACE is wanted.\n\n"
      "Example:  whatwire import allreduce.goal -o allreduce.ww\n"
      "          whatwire simulate allreduce.ww --machine loggops-default --explain\n"
      "          whatwire import run.s4 -o stations.ww    # simulate run.s4 plays it by S4's own rules\n"
      "          whatwire import prase_data -o hypercube.ww && whatwire report hypercube.ww");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "The schedule, or the directory of stations or of event records")
      ->required()
      ->type_name("");
  command->add_option("-o,--output", options->output, "The directory to make")->required()->type_name("DIR");
  add_force(*command, options->force);
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli

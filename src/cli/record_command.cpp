// whatwire record: a trace of one run.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "interpose/core/environment.hpp"
#include "record/record.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string directory, daemons;
  std::optional<lab::LabName> lab;
  std::optional<double> clock_interval_s;
  bool force = false, json = false;
  RecordFilter selection;
};

constexpr int interrupted_exit_code = 130;

Result<int> work(const Options& options, const std::vector<std::string>& line) {
  WW_TRY(const Launch launch, understand(line));
  RecordOptions how;
  how.directory =
      options.directory.empty() ? default_trace_directory(launch) : std::filesystem::path(options.directory);
  how.previous = previous_of(options.force);
  how.lab = options.lab;
  how.selection = options.selection;
  how.keep_interrupted = true;
  how.daemons = true;
  how.daemons_dir = options.daemons;
  if (options.lab && !options.daemons.empty())
    return wrong_usage("a lab's daemons are recorded anyway", "--daemons with --lab",
                       "leave one of them out");
  if (options.clock_interval_s)
    how.environment.emplace_back(environment::clock_interval,
                                 fmt::format("{:.6f}", *options.clock_interval_s));
  if (options.json) how.output = Command::Output::to_stderr;
  WW_TRY(const Recorded recorded, record(launch, how));
  say(recorded.said);
  if (options.json) {
    fmt::print("{}\n", json_text({{"trace", recorded.directory.string()},
                                  {"exit_code", recorded.exit_code},
                                  {"wall_s", recorded.wall_s},
                                  {"diagnostics", recorded.diagnostics}},
                                 2));
  } else {
    show_diagnostics(recorded.diagnostics);
    tell(fmt::format("whatwire: recorded {0}; next: whatwire report {0}\n", how.directory.string()));
  }
  return recorded.interrupted ? interrupted_exit_code : recorded.exit_code;
}

}  // namespace

void add_record(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("record", "Record a program: who sent what to whom, and when");
  command->footer(
      "Messages keep their numbers whatever is left out, so that a partial recording still matches; what is "
      "missing is\n"
      "said wherever the result is shown. Programs can mark regions and values, and pause: "
      "whatwire/marker.h.\n"
      "A program that hangs: end it with Ctrl-C; what it did until then is the trace.\n"
      "Exit code: the program's own; 1 if nothing could be recorded, 130 if interrupted.\n\n"
      "Example:  whatwire record -o run1.ww -- mpirun -n 4 ./app -x 3");
  auto options = std::make_shared<Options>();
  add_directory(*command, options->directory,
                "Trace directory (default: APP.ww); an earlier one becomes NAME.old");
  add_force(*command, options->force);
  RecordFilter& selection = options->selection;
  command
      ->add_option(
          "--calls", selection.calls,
          "Record these only: MPI calls by name, or p2p, collective, communicator, one-sided, io, other;\n"
          "separated by commas")
      ->type_name("LIST")
      ->check(CLI::Validator(
          [](std::string& list) { return list.empty() ? "names no call and no class of calls" : ""; }, ""));
  command->add_option("--start", selection.start_s, "Begin so many seconds after MPI_Init")
      ->type_name("S")
      ->check(number_within(0, 1e9));
  command
      ->add_option(
          "--max-records", selection.max_records,
          "Stop after so many records of a thread (48 bytes each); what is open then is still completed")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62).description(""));
  const CLI::Validator names_something(
      [](std::string& list) { return list.empty() ? "names no function; all: '*'" : ""; }, "");
  auto* const functions =
      command
          ->add_option(
              "--functions", selection.functions,
              "Record functions as regions, of a program compiled with -fpatchable-function-entry=5 or\n"
              "-finstrument-functions: patterns by comma, those with ! in front exclude\n"
              "('solve*,Grid::*,!*_inner'); '*': all")
          ->type_name("LIST")
          ->check(names_something);
  command
      ->add_option_function<std::string>(
          "--count-functions",
          [&selection](const std::string& list) {
            selection.functions = list;
            selection.functions_counted = true;
          },
          "Only count them, with their times: whatwire report --ask functions says which are worth recording")
      ->type_name("LIST")
      ->check(names_something)
      ->excludes(functions);
  command
      ->add_option("--memory", selection.memory_ms,
                   "Memory of each process as values over time, looked at every so many milliseconds (10)")
      ->type_name("MS")
      ->check(number_within(0.1, 1e6));
  command->add_flag("--durable", selection.durable,
                    "Every record is on disk before its call returns (slow: one write to the disk a call)");
  command
      ->add_option(
          "--clock-interval", options->clock_interval_s,
          "Seconds between exchanges of clocks between hosts during the run (30; 0: only at its ends)")
      ->type_name("S")
      ->check(number_within(0, 1e6));
  command
      ->add_option("--daemons", options->daemons,
                   "Where daemons of PVM's record that you started with its recorder")
      ->type_name("DIR");
  add_lab_option(*command, options->lab);
  add_program_option(*command, chosen);
  add_config(*command, chosen);
  command->add_flag("--json", options->json,
                    "One JSON object on standard output; the program's output goes to standard error");
  act(*command, chosen, options, work);
}

}  // namespace ww::cli

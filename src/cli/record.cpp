// whatwire record: a trace of one run.
#include "record/record.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/show.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string directory;
  std::optional<std::string> lab;
  bool json = false;
};

Result<int> work(const Options& options, const std::vector<std::string>& line) {
  WW_TRY(const Launch launch, understand(line));
  RecordOptions how;
  how.directory =
      options.directory.empty() ? default_trace_directory(launch) : std::filesystem::path(options.directory);
  how.lab = options.lab;
  if (options.json) how.output = Command::Output::to_stderr;
  WW_TRY(const Recorded recorded, record(launch, how));
  if (options.json) {
    fmt::print("{}\n", nlohmann::json{{"trace", recorded.directory.string()},
                                      {"exit_code", recorded.exit_code},
                                      {"wall_s", recorded.wall_s},
                                      {"diagnostics", recorded.diagnostics}}
                           .dump(2));
  } else {
    show_diagnostics(recorded.diagnostics);
    fmt::print(stderr, "whatwire: recorded {}; next: whatwire report {}\n", how.directory.string(),
               how.directory.string());
  }
  return recorded.exit_code == 0 ? 0 : 1;
}

}  // namespace

void add_record(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("record", "Record a program: who sent what to whom, and when");
  command->footer("Example:  whatwire record -o run1.ww -- mpirun -n 4 ./app -x 3");
  auto options = std::make_shared<Options>();
  command->add_option("-o,--output", options->directory, "Trace directory (default: APP.ww)")
      ->type_name("DIR");
  add_lab_option(*command, options->lab);
  command->add_flag("--json", options->json,
                    "One JSON object on standard output; the program's output goes to standard error");
  command->callback(
      [&chosen, options] { chosen.action = [&chosen, options] { return work(*options, chosen.launch); }; });
}

}  // namespace ww::cli

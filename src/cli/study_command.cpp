// whatwire study: the main job.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "launch/launch.hpp"
#include "render/diagnostics.hpp"
#include "render/study_text.hpp"
#include "study/study.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::vector<std::string> what_ifs;
  std::string machine, directory;
  std::vector<double> factors{1, 2, 4};
  bool no_dilation = false, no_virtual = false;
  std::optional<lab::LabName> lab;
  int repeat = 3;
  bool force = false, json = false;
};

Result<int> work(const Options& given, const std::vector<std::string>& line) {
  StudyOptions options;
  options.what_ifs = given.what_ifs;
  if (!given.machine.empty()) options.machine = given.machine;
  if (given.no_dilation)
    options.factors.clear();
  else
    options.factors = given.factors;
  options.virtual_time = !given.no_virtual && !given.no_dilation;
  options.lab = given.lab;
  options.repeat = given.repeat;
  WW_TRY(const Launch launch, understand(line));
  options.directory = given.directory.empty() ? launch.name() + ".study" : given.directory;
  options.previous = previous_of(given.force);
  const bool watched = isatty(STDERR_FILENO) != 0;
  if (watched) options.progress = [](const std::string& step) { tell(fmt::format("\r\033[K{} ...", step)); };
  const auto done = study(line, options);
  if (watched) tell("\r\033[K");
  if (!done) return tl::unexpected(done.error());
  say(done->said);
  if (given.json) {
    fmt::print("{}\n", json_text(done->json, 2));
    return 0;
  }
  fmt::print("{}\n{}", done->summary, agreement_table({done->json}));
  if (const auto& dilation = done->json.at("dilation");
      dilation.is_object() && dilation.at("verdict").is_string())
    fmt::print("\n{}: {}\n", dilation.at("verdict").get<std::string>(),
               dilation.at("because").get<std::string>());
  else if (dilation.is_object() && dilation.value("verdict_withheld", nlohmann::json()).is_string())
    fmt::print("\nno verdict: {}\n", dilation.at("verdict_withheld").get<std::string>());
  show_diagnostics(done->diagnostics);
  if (!done->model_flags.empty()) fmt::print("\n");
  for (const std::string& flag : done->model_flags) fmt::print("{}\n", wrapped(flag, 2));
  fmt::print("\n{}\n", (options.directory / "report.html").string());
  return 0;
}

}  // namespace

void add_study(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand(
      "study", "The main job: record, explain, predict, dilate, compare; a summary, report.html, study.json");
  command->footer(
      "Ctrl-C ends it: the page and study.json are of the rounds that were complete. Exit code 130 then.\n\n"
      "Example:  whatwire study --what-if bandwidth=x10 -- mpirun -n 4 ./app -x 3\n"
      "In a lab: whatwire lab up --hosts 2 --rate 10Mb/s && whatwire study --lab -- mpirun -n 2 ./app");
  auto options = std::make_shared<Options>();
  command
      ->add_option("--what-if", options->what_ifs,
                   "Another machine: bandwidth=x10,latency=x0.5,... (repeatable)")
      ->type_name("SPEC")
      ->expected(1)
      ->take_all();
  add_model(*command, options->machine,
            "Machine model (default: measured first, with the launch line's prefix)");
  add_factors(*command, "--dilate", options->factors,
              "Dilation factors of the speed-up curve (default: 1,2,4)");
  command->add_flag("--no-dilate", options->no_dilation, "Simulate only");
  command->add_flag("--no-virtual", options->no_virtual, "Do not run in virtual time");
  add_repeat(*command, options->repeat, "Runs of each kind; the median counts");
  add_lab_option(*command, options->lab);
  add_program_option(*command, chosen);
  add_directory(*command, options->directory,
                "Directory of the study (default: APP.study); an earlier one becomes NAME.old");
  add_force(*command, options->force);
  command->add_flag("--json", options->json, "study.json on standard output");
  act(*command, chosen, options, work);
}

}  // namespace ww::cli

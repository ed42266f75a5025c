// whatwire dilate: the program run as if it had another network.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "dilate/dilate.hpp"
#include "dilate/dilation_entries.hpp"
#include "render/dilation.hpp"
#include "simulate/simulate.hpp"
#include "study/virtual_check.hpp"
#include "study/witness.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::vector<double> factors;
  std::string what_if, machine, recorded, directory;
  std::optional<lab::LabName> lab;
  int repeat = 3;
  std::string meter = "auto", progress = "auto";
  int ranks_per_host = 0;
  bool virtual_time = false;
  bool leave_software = false, self_test = false, every_rank = false, force = false, json = false;
};

const std::map<std::string, MeterChoice> meters{
    {"auto", MeterChoice::automatic}, {"wall", MeterChoice::wall}, {"cpu", MeterChoice::cpu}};
const std::map<std::string, ProgressChoice> progresses{{"auto", ProgressChoice::automatic},
                                                       {"calls", ProgressChoice::calls},
                                                       {"probes", ProgressChoice::probes},
                                                       {"both", ProgressChoice::both}};

template <class Choice>
std::vector<std::string> names_of(const std::map<std::string, Choice>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, choice] : choices) names.push_back(name);
  return names;
}

std::filesystem::path directory_of(const Options& given, const Launch& launch) {
  return given.directory.empty() ? launch.name() + ".dilated" : given.directory;
}

// Into VirtualOptions or DilateOptions what a study has of its own recording.
template <class Options>
Result<void> take_software_from(const std::string& recorded, const MachineModel& model, Options& options) {
  if (recorded.empty()) return {};
  WW_TRY(const Trace trace, load_trace(recorded));
  PredictOptions how;
  how.interval = false;
  WW_TRY(const auto predictions, predict_all(trace, model, {options.what_if.value_or(WhatIf{})}, how));
  options.extra_software_s = predictions.front().calibrated_software_s;
  options.kept_share = predictions.front().send_kept_share;
  return {};
}

Result<int> work_virtually(const Options& given, const Launch& launch) {
  if (given.machine.empty())
    return wrong_usage("--virtual needs a machine model", "--machine",
                       "measure one: whatwire measure -o machine.json -- mpirun -n 2");
  WW_TRY(const MachineModel model, load_model(given.machine));
  VirtualOptions options;
  options.machine = &model;
  if (!given.what_if.empty()) {
    WW_TRY(options.what_if, parse_what_if(given.what_if));
  }
  WW_CHECK(take_software_from(given.recorded, model, options));
  options.ranks_per_host = given.ranks_per_host;
  options.repeat = given.repeat;
  options.lab = given.lab;
  const std::filesystem::path name = directory_of(given, launch);
  WW_TRY(auto result, owned::NewResult::begin(name, dilation_kind, previous_of(given.force)));
  options.directory = result.directory();
  WW_TRY(VirtualRun run, run_virtual(launch, options));
  check_by_simulation(run);
  WW_TRY(const auto said, result.publish());
  say(said);
  if (given.json) {
    fmt::print("{}\n", json_text({{"virtual", to_json(run)}, {"diagnostics", run.diagnostics}}, 2));
    return 0;
  }
  fmt::print("{}", show(run, (name / "virtual-*.out").string()));
  show_diagnostics(run.diagnostics);
  return 0;
}

Result<int> work(const Options& given, const std::vector<std::string>& line) {
  WW_TRY(const Launch launch, understand(line));
  if (given.virtual_time) return work_virtually(given, launch);
  DilateOptions options;
  options.factors = given.factors;
  options.repeat = given.repeat;
  options.lab = given.lab;
  options.meter = meters.at(given.meter);
  options.progress =
      given.self_test && given.progress == "auto" ? ProgressChoice::calls : progresses.at(given.progress);
  options.leave_software = given.leave_software;
  MachineModel model;
  if (!given.machine.empty()) {
    WW_TRY(model, load_model(given.machine));
    options.machine = &model;
  }
  if (!given.what_if.empty()) {
    if (options.machine == nullptr)
      return wrong_usage("--what-if needs a machine model", "--machine",
                         "measure one: whatwire measure -o machine.json -- mpirun -n 2");
    WW_TRY(options.what_if, parse_what_if(given.what_if));
    if (options.factors.empty()) {
      options.factors = {least_factor(*options.what_if, model)};
      options.factor_was_chosen = true;
    }
  }
  if (!given.recorded.empty()) {
    if (options.machine == nullptr)
      return wrong_usage("--recorded needs a machine model", "--machine",
                         "measure one: whatwire measure -o machine.json -- mpirun -n 2");
    WW_CHECK(take_software_from(given.recorded, model, options));
  }
  if (given.self_test) {
    if (options.machine == nullptr)
      return wrong_usage("--self-test needs a machine model", "--machine",
                         "measure one: whatwire measure -o machine.json -- mpirun -n 2");
    options.what_if = WhatIf{};
    if (!options.factors.empty() && std::count(options.factors.begin(), options.factors.end(), 1) == 0)
      options.factors.insert(options.factors.begin(), 1);
  }
  if (options.factors.empty()) options.factors = {1, 2, 4};
  const std::filesystem::path name = directory_of(given, launch);
  WW_TRY(auto result, owned::NewResult::begin(name, dilation_kind, previous_of(given.force)));
  options.directory = result.directory();
  WW_TRY(Dilation dilation, dilate(launch, options));
  if (options.machine != nullptr && !options.what_if && !options.leave_software)
    ask_simulation(dilation, *options.machine);
  WW_TRY(const auto said, result.publish());
  say(said);
  std::optional<std::vector<SelfTest>> tests;
  if (given.self_test) tests = self_test(dilation);
  if (given.json) {
    nlohmann::json out = to_json(dilation);
    if (tests) out["self_test"] = to_json(*tests);
    fmt::print("{}\n", json_text(out, 2));
    return 0;
  }
  fmt::print("{}", show(dilation, tests ? &*tests : nullptr, given.every_rank));
  if (const std::string witness = second_witness(dilation); !witness.empty()) fmt::print("{}\n", witness);
  fmt::print("{}", show_conditions(dilation, (name / "D*.out").string()));
  show_diagnostics(dilation.diagnostics);
  return 0;
}

}  // namespace

void add_dilate(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand(
      "dilate", "Run the program as if its network were faster: normalised times, verdict");
  command->footer(
      "Ctrl-C ends it: the rounds that were complete count. Exit code 130 then.\n\n"
      "Example:  whatwire dilate -D 1,2,4 -- mpirun -n 4 ./app\n"
      "          whatwire dilate --what-if bandwidth=x10 --machine machine.json -- mpirun -n 4 ./app\n"
      "          whatwire dilate --virtual --ranks-per-host 1 --machine machine.json -- mpirun -n 64 ./app");
  auto options = std::make_shared<Options>();
  add_factors(*command, "-D", options->factors,
              "Dilation factors (default: 1,2,4, or the least that the what-if needs). The program may set "
              "others for "
              "parts of it: ww_dilate in whatwire/marker.h");
  command
      ->add_option("--what-if", options->what_if,
                   "Emulate this exactly: what must not become faster is held back")
      ->type_name("SPEC");
  add_model(*command, options->machine,
            "Machine model: a what-if and the self-test need it; otherwise it keeps the software of messages "
            "from becoming faster");
  command
      ->add_option(
          "--recorded", options->recorded,
          "A recording of the program on this machine: the software of its messages is taken as found in "
          "it, beside the model's, as a study does")
      ->type_name("TRACE");
  command
      ->add_flag(
          "--self-test", options->self_test,
          "Hold everything back that dilation makes faster, so that each D should give the undilated time: "
          "the error of dilation here, of this program")
      ->excludes("--what-if");
  auto* virtual_time =
      command
          ->add_flag(
              "--virtual", options->virtual_time,
              "Add no real time: each process keeps a clock of the time that it would be on the machine "
              "of --machine and --what-if. Ranks may be more than cores. What the program prints is in "
              "DIRECTORY/virtual-N.out")
          ->excludes("-D")
          ->excludes("--self-test");
  command
      ->add_option(
          "--ranks-per-host", options->ranks_per_host,
          "With --virtual: so many ranks, in their order, are on one host of that machine (default: as "
          "they run now)")
      ->check(CLI::PositiveNumber)
      ->needs(virtual_time);
  command->add_flag("--ranks", options->every_rank, "Show every rank below the mean of each D");
  command
      ->add_option(
          "--meter", options->meter,
          "What of the time between calls is computation: all (wall), or what the rank had of its core "
          "(cpu); auto: cpu where ranks, or threads that call MPI at once, share cores")
      ->check(CLI::IsMember(names_of(meters)))
      ->capture_default_str();
  command
      ->add_option("--progress", options->progress,
                   "When open operations progress: inside calls (calls), also while computation is stretched "
                   "(probes), both ways compared (both); auto: both if the program has open operations")
      ->check(CLI::IsMember(names_of(progresses)))
      ->capture_default_str();
  command->add_flag(
      "--leave-software", options->leave_software,
      "With --machine and no what-if: let the software of messages become faster with the wire");
  add_repeat(*command, options->repeat, "Runs of each D, interleaved; one gives no intervals");
  add_lab_option(*command, options->lab);
  add_program_option(*command, chosen);
  add_directory(*command, options->directory,
                "Directory of the runs' traces, D4-1.ww, and of what the program printed, D4-1.out (default: "
                "APP.dilated); an earlier one becomes NAME.old");
  add_force(*command, options->force);
  add_json(*command, options->json);
  act(*command, chosen, options, work);
}

}  // namespace ww::cli

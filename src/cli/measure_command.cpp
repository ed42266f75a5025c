// whatwire measure: the machine model.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "launch/launch.hpp"
#include "launch/which.hpp"
#include "library/libraries.hpp"
#include "measure/measure.hpp"
#include "measure/simulated/measure_simulated.hpp"
#include "render/machine_text.hpp"

namespace ww::cli {
namespace {

constexpr double quick_budget_s = 7;  // and five starts of the launcher: under 10 s

struct Options {
  std::string output = "machine.json";
  double budget_s = 45;
  std::optional<lab::LabName> lab;
  bool quick = false, json = false;
  std::string stop = "median";
  std::string simulated, library;
  bool direct_route = false;
};

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const Library* library : libraries())
    if (library->recorded) names.emplace_back(library->name);
  return names;
}

int show(const Options& options, const MachineModel& model) {
  if (options.json) {
    fmt::print("{}\n", json_text(to_json(model), 2));
    return 0;
  }
  print_model(model);
  fmt::print("\nwritten: {}\n", options.output);
  return 0;
}

Result<int> on_simulated(const Options& options, const std::vector<std::string>& prefix) {
  if (!prefix.empty() || options.lab || options.quick || options.stop != "median")
    return wrong_usage("a simulated machine needs no launch prefix, lab, --quick or --stop", "--simulated",
                       "as in: whatwire measure --simulated ncube-seven -o machine.json");
  WW_TRY(const MachineModel machine, load_model(options.simulated));
  WW_TRY(const MachineModel model,
         measure::measure_simulated(machine, options.output, [](const std::string& line) { say({line}); }));
  return show(options, model);
}

Result<int> work(const Options& options, const std::vector<std::string>& prefix) {
  if (!options.simulated.empty()) return on_simulated(options, prefix);
  const Library* library = library_named(options.library);
  const bool starts_itself = library != nullptr && library->starts_itself();
  if (prefix.empty() && !starts_itself)
    return wrong_usage("no launch prefix", "",
                       "give what comes before a program: whatwire measure -- mpirun -n 2");
  if (!prefix.empty() && starts_itself)
    return wrong_usage(
        fmt::format("programs of {} start themselves", library->title), prefix.front(),
        fmt::format("leave the launch prefix out: whatwire measure --library {}", library->name));
  const Library* started = prefix.empty() ? nullptr : library_of_launcher(prefix[launcher_in(prefix)]);
  if (library != nullptr && started != nullptr && started != library)
    return wrong_usage(
        fmt::format("{} starts programs of {}, not of {}", prefix[launcher_in(prefix)], started->title,
                    library->title),
        options.library,
        fmt::format("leave --library out, or start with {}", split_words(library->launchers).front()));
  if (options.direct_route && !starts_itself)
    return wrong_usage("only messages of PVM go from task to task or by way of daemons", "--direct-route",
                       "leave it out, or measure PVM: --library pvm");
  measure::MeasureOptions run;
  run.library = library;
  run.direct_route = options.direct_route;
  run.prefix = prefix;
  run.quick = options.quick;
  run.stop = options.stop == "mean" ? measure::StopAt::mean : measure::StopAt::median;
  run.budget_s = options.quick ? quick_budget_s : options.budget_s;
  run.output = options.output;
  run.say = [](const std::string& line) { say({line}); };
  run.show_progress = isatty(STDERR_FILENO) != 0;
  if (options.lab) WW_CHECK(measure::place_on_lab(run, *options.lab));
  WW_TRY(const MachineModel model, measure::measure(run));
  return show(options, model);
}

}  // namespace

void add_measure(CLI::App& root, Chosen& chosen) {
  auto* command =
      root.add_subcommand("measure", "Measure the machine: what messages cost, software and wire apart");
  command->footer(
      "Ctrl-C ends it: the samples are kept, for whatwire machine fit. Exit code 130 then.\n\n"
      "Example:  whatwire measure -o machine.json -- mpirun -n 2");
  auto options = std::make_shared<Options>();
  command
      ->add_option("-o,--output", options->output,
                   "The model's file; raw samples go beside it; earlier ones become FILE.old")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--budget", options->budget_s, "Seconds that the experiments may take")
      ->type_name("S")
      ->capture_default_str()
      ->check(number_within(0.1, 1e6));
  add_lab_option(*command, options->lab);
  command->add_flag("--quick", options->quick, "Within 10 s, with wider intervals");
  command
      ->add_option(
          "--stop", options->stop,
          "When the ping-pong has seen enough of a size: median, when its interval is narrow; mean, S2's "
          "rule, when 1.96 s / sqrt(k) of k rounds is within 5% of their mean, 3 to 20 rounds, each of many "
          "round trips, the fewer the larger the message")
      ->type_name("RULE")
      ->capture_default_str()
      ->check(CLI::IsMember({"median", "mean"}).description(""));
  command
      ->add_option("--simulated", options->simulated,
                   "Instead of under a launcher: S1's experiments on a simulated hypercube whose nodes cost "
                   "what this model says, which needs all six terms (preset ncube-seven)")
      ->type_name("MODEL");
  command
      ->add_option("--library", options->library,
                   "The message library of the programs to be predicted, where the launcher does not say it. "
                   "Programs of PVM (pvm) "
                   "start themselves: no launch prefix then; one task on each host of the virtual machine "
                   "(two at least; the "
                   "variable TASKS says how many)")
      ->type_name("NAME")
      ->check(CLI::IsMember(library_names()).description(""));
  command->add_flag("--direct-route", options->direct_route,
                    "Of PVM: messages from task to task (PvmRouteDirect), and not by way of the daemons");
  command->add_flag("--json", options->json, "One JSON object on standard output: the model");
  act(*command, chosen, options, work);
  chosen.launching[command] = "LAUNCH_PREFIX";
}

}  // namespace ww::cli

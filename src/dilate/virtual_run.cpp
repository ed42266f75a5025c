#include "dilate/virtual_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analyze/breakdown.hpp"
#include "base/interruption.hpp"
#include "dilate/conditions.hpp"
#include "dilate/dilation_plan.hpp"
#include "dilate/told_costs.hpp"
#include "interpose/core/environment.hpp"
#include "machine/flags.hpp"
#include "record/record.hpp"
#include "stats/stats.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

struct OneRun {
  std::filesystem::path trace;
  double elapsed_s = 0, polled_s = 0;
  std::int64_t involuntary_switches = 0;
  Place network = Place::inter;
  std::vector<RankComponents> ranks;
  Diagnostics diagnostics;
  RunRecord said;  // of itself
};

double software_of_target_s(const VirtualOptions& options) {
  return options.extra_software_s * (options.what_if ? options.what_if->found_software_share() : 1);
}

Result<OneRun> run_once(const Launch& launch, const VirtualOptions& options, const MachineModel& target,
                        int number) {
  RecordOptions how;
  how.directory = options.directory / fmt::format("virtual-{}.ww", number);
  how.output_file = options.directory / fmt::format("virtual-{}.out", number);
  std::error_code ignored;
  std::filesystem::create_directories(options.directory, ignored);
  how.previous = owned::Previous::replace;
  how.lab = options.lab;
  const auto add_costs = [&](const char* name, Place place, const SoftwareTold& told) {
    std::string text = message_costs(target, place, told);
    if (!text.empty()) how.environment.emplace_back(name, std::move(text));
  };
  add_costs(environment::target_inter, Place::inter, {software_of_target_s(options), options.kept_share});
  add_costs(environment::target_intra, Place::intra, {});
  how.environment.emplace_back(environment::virtual_time, "1");
  if (options.what_if)
    how.environment.emplace_back(environment::compute, fmt::format("{:.9g}", options.what_if->compute));
  if (options.ranks_per_host > 0)
    how.environment.emplace_back(environment::ranks_per_host, std::to_string(options.ranks_per_host));
  WW_TRY(const Recorded recorded, record(launch, how));
  WW_TRY(const Trace trace, load_trace(recorded.directory));
  for (const Diagnostic& found : trace.diagnostics.all())
    if (found.name.starts_with("virtual-") && found.severity == Severity::error)
      return fail("the program has no virtual time (" + found.name + ")", recorded.directory.string(),
                  found.remedy);
  if (recorded.exit_code != 0)
    return fail(fmt::format("the program failed in virtual time with exit code {}", recorded.exit_code),
                shell_quoted(launch.line),
                what_it_printed(how.output_file, what_may_help(recorded.exit_code, false)));
  OneRun run;
  run.trace = recorded.directory;
  run.elapsed_s = trace.elapsed_s();
  run.network = trace.network();
  run.ranks = components_of(trace, break_down(trace, options.machine), 1);
  run.diagnostics = trace.diagnostics;
  run.said = trace.run;
  for (const RunRecord::Rank& rank : trace.run.ranks) {
    run.polled_s = std::max(run.polled_s, rank.polled_s);
    run.involuntary_switches += rank.involuntary_switches;
  }
  return run;
}

void assume(VirtualRun& result, const Launch& launch, const OneRun& run) {
  result.assumptions.push_back(
      "computation takes as long as the processor time of the thread that calls the message library here; "
      "time in files, in waits for other threads and in poll or select is left out");
  if (launch.library != nullptr && launch.library->starts_itself()) {
    result.assumptions.push_back(
        "messages wait for no receiver, and what asks the library's daemons (spawning, say) takes as long as "
        "it "
        "does here");
  } else {
    result.assumptions.push_back(
        "a collective costs the messages of the algorithm that its MPI library has for it, without the "
        "arithmetic of reductions");
    result.assumptions.push_back(
        "a large message moves as soon as both sides are ready, whatever they do then");
  }
  result.assumptions.push_back(
      "each host sends one message at a time and receives one at a time; which of two comes first is decided "
      "by "
      "real time");
  const auto ranks = static_cast<int>(run.ranks.size());
  const int processors = run.said.machine.usable_processors;
  if (processors > 0 && ranks > processors)
    result.diagnostics.add(
        "virtual-shared-cores",
        fmt::format(
            "{} ranks shared {} processors ({} involuntary switches in a run): processor time was seen to "
            "be 10 to 15% longer there than alone, as caches are shared",
            ranks, processors, run.involuntary_switches));
}

}  // namespace

Result<VirtualRun> run_virtual(const Launch& launch, const VirtualOptions& given) {
  WW_INVARIANT(given.machine != nullptr && given.repeat > 0);
  VirtualOptions options = given;
  VirtualRun result;
  if (options.what_if && options.what_if->topology)
    return wrong_usage("another network has no virtual time", options.what_if->spec,
                       "simulate it: whatwire simulate --network " + options.what_if->topology->text);
  if (options.what_if && !options.what_if->compute_scopes.empty())
    return wrong_usage("computation of single ranks or regions cannot be changed in virtual time",
                       options.what_if->spec, "simulate it: whatwire simulate");
  if (options.what_if && options.what_if->ranks_per_host > 0) {
    if (options.ranks_per_host > 0 && options.ranks_per_host != options.what_if->ranks_per_host)
      return wrong_usage("two numbers of ranks a host", options.what_if->spec,
                         "keep one of --ranks-per-host and ranks-per-host=");
    options.ranks_per_host = options.what_if->ranks_per_host;
  }
  const auto has = [&](Place place) {
    const Link* link = options.machine->link(place);
    return link != nullptr && !link->one_way.empty();
  };
  if (options.ranks_per_host == 0 && !options.lab && has(Place::inter) && !has(Place::intra)) {
    options.ranks_per_host = 1;
    result.assumptions.push_back("each rank has a host of its own: the model knows no other link");
  }
  result.ranks_per_host = options.ranks_per_host;
  std::vector<OneRun> runs;
  ConditionsOfProgram of_program;
  for (int number = options.first_run; number < options.first_run + options.repeat; ++number) {
    const auto target = [&] {
      return options.what_if ? apply(*options.machine, *options.what_if) : *options.machine;
    };
    auto done = run_once(launch, options, target(), number);
    // Only a run shows whether the ranks share a host, and so which link the what-if means.
    if (done && options.what_if && options.what_if->network_of(*options.machine) != done->network) {
      options.what_if->network = done->network;
      done = run_once(launch, options, target(), number);
    }
    if (!done) {
      if (!interruption::requested() || runs.empty()) return tl::unexpected(std::move(done.error()));
      result.diagnostics.add("interrupted", fmt::format("interrupted after {} of {} runs, which count",
                                                        runs.size(), options.repeat));
      break;
    }
    OneRun run = *std::move(done);
    result.runs_s.push_back(run.elapsed_s);
    result.polled_s = std::max(result.polled_s, run.polled_s);
    result.diagnostics.merge(run.diagnostics);
    of_program.look_at(run.said);
    runs.push_back(std::move(run));
  }
  result.diagnostics.merge(of_program.said());
  result.s = stats::median(result.runs_s);
  const auto [least, most] = std::minmax_element(result.runs_s.begin(), result.runs_s.end());
  result.low_s = *least;
  result.high_s = *most + result.polled_s;
  const OneRun& middle = *std::min_element(runs.begin(), runs.end(), [&](const OneRun& a, const OneRun& b) {
    return std::abs(a.elapsed_s - result.s) < std::abs(b.elapsed_s - result.s);
  });
  result.ranks = middle.ranks;
  result.trace = middle.trace;
  result.checked_s = middle.elapsed_s;
  result.extra_software_s = software_of_target_s(options);
  result.machine = options.what_if ? apply(*options.machine, *options.what_if) : *options.machine;
  assume(result, launch, middle);
  std::vector<const MachineModel*> models{options.machine};
  if (options.what_if && options.what_if->machine) models.push_back(options.what_if->machine.get());
  say_flags(models, result.assumptions, result.diagnostics);
  if (*most > 1.05 * *least)
    result.diagnostics.add(
        "virtual-runs-differ",
        fmt::format(
            "virtual times of single runs differ by {:.0f}%: processor time depends on who else computes, "
            "or the program's way depends on time; take more runs (--repeat), or a quieter machine",
            100 * (*most / *least - 1)));
  return result;
}

nlohmann::json to_json(const VirtualRun& run) {
  return {{"s", run.s},
          {"low", run.low_s},
          {"high", run.high_s},
          {"runs_s", run.runs_s},
          {"polled_s", run.polled_s},
          {"replayed_s", run.replayed_s ? nlohmann::json(*run.replayed_s) : nlohmann::json()},
          {"ranks_per_host", run.ranks_per_host > 0 ? nlohmann::json(run.ranks_per_host) : nlohmann::json()},
          {"components", to_json(mean_of(run.ranks))},
          {"ranks", to_json(run.ranks)},
          {"assumptions", run.assumptions}};
}

}  // namespace ww

#include "dilate/dilate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/breakdown.hpp"
#include "base/interruption.hpp"
#include "dilate/conditions.hpp"
#include "dilate/dilation_plan.hpp"
#include "dilate/normalise.hpp"
#include "machine/flags.hpp"
#include "record/record.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

Result<Trace> run_once(const Launch& launch, const DilateOptions& options, double factor, int run,
                       const RunPlan& plan) {
  RecordOptions how;
  const std::string name = fmt::format("D{:g}-{}{}", factor, run, plan.probes ? "-probes" : "");
  how.directory = options.directory / (name + ".ww");
  how.output_file = options.directory / (name + ".out");
  std::error_code ignored;
  std::filesystem::create_directories(options.directory, ignored);
  how.previous = owned::Previous::replace;  // the same run once more: run_dilated
  how.lab = options.lab;
  WW_TRY(how.environment, variables_for(factor, options, plan));
  WW_TRY(const Recorded recorded, record(launch, how));
  if (recorded.exit_code != 0)
    return fail(fmt::format("the program failed at D = {:g} with exit code {}", factor, recorded.exit_code),
                shell_quoted(launch.line),
                what_it_printed(how.output_file, "does it run without whatwire, or depend on real time?"));
  WW_TRY(Trace trace, load_trace(recorded.directory));
  WW_CHECK(threads_are_followed(trace));
  return trace;
}

// A run, and once more if it shows what it should have been told: which link is the network, that the ranks
// share cores.
Result<Trace> run_dilated(const Launch& launch, const DilateOptions& options, double factor, int run,
                          RunPlan& plan) {
  WW_TRY(Trace trace, run_once(launch, options, factor, run, plan));
  const bool cpu_meter =
      options.meter == MeterChoice::cpu || (options.meter == MeterChoice::automatic && shares_cores(trace));
  const bool says_network = options.machine != nullptr && plan.network != trace.network();
  const bool other_network =
      says_network && (plan.network || trace.network() != WhatIf{}.network_of(*options.machine));
  const bool again = (cpu_meter != plan.cpu_meter && factor > 1) || other_network;
  if (options.machine != nullptr) plan.network = trace.network();
  plan.cpu_meter = cpu_meter;
  if (!again) return trace;
  return run_once(launch, options, factor, run, plan);
}

// The software of messages does not become faster with the wire.
bool keeps_software(const DilateOptions& options) {
  return options.what_if || (options.machine != nullptr && !options.leave_software);
}

// With the software that was kept from becoming faster told apart from waiting.
NormalisedRun normalised(const Trace& trace, const DilateOptions& options) {
  return normalise(trace, [&](double factor) {
    if (options.machine == nullptr || !keeps_software(options)) return break_down(trace, options.machine);
    const double software = options.what_if ? options.what_if->software : 1;
    const MachineModel model = with_kept_software(*options.machine, std::max(1.0, factor * software));
    return break_down(trace, &model);
  });
}

void conclude(Dilation& dilation, bool software_stays) {
  std::vector<SignedRun> runs;
  for (const DilatedRun& run : dilation.runs)
    if (run.probes == dilation.probes) runs.push_back({run.factor, run.round, run.normalised_s, run.ranks});
  dilation.signature = signature_of(runs, software_stays ? SoftwareAtD::stays : SoftwareAtD::becomes_faster);
  dilation.speedup = dilation.signature.speedup;
}

}  // namespace

std::vector<double> Dilation::normalised(double factor) const {
  std::vector<double> values;
  for (const DilatedRun& run : runs)
    if (run.factor == factor && run.probes == probes) values.push_back(run.normalised_s);
  return values;
}

Result<Dilation> dilate(const Launch& launch, const DilateOptions& options) {
  WW_INVARIANT(!options.factors.empty());
  for (double factor : options.factors)
    if (!(factor >= 1))
      return wrong_usage(fmt::format("D = {:g} is below 1", factor), "-D",
                         "computation can be stretched, not shortened");
  if (options.what_if) WW_CHECK(can_dilate(*options.what_if));
  Dilation dilation;
  dilation.probes = options.progress == ProgressChoice::probes;
  ConditionsSoFar conditions;
  RunPlan plan;
  plan.cpu_meter = options.meter == MeterChoice::cpu;
  bool both = options.progress == ProgressChoice::both;
  const auto round = [&](int run) -> Result<void> {
    for (double factor : options.factors) {
      const auto once = [&](bool probes) -> Result<void> {
        plan.probes = probes;
        WW_TRY(const Trace trace, run_dilated(launch, options, factor, run, plan));
        conditions.end_run(factor, trace);
        dilation.threads_call_at_once = dilation.threads_call_at_once || threads_call_at_once(trace);
        NormalisedRun divided = normalised(trace, options);
        say_set_by_program(divided, factor, options, dilation.diagnostics);
        dilation.runs.push_back({factor, probes, trace.elapsed_s(), divided.elapsed_s, run,
                                 std::move(divided.ranks), trace.source.parent_path(),
                                 std::move(divided.set_by_program)});
        dilation.diagnostics.merge(trace.diagnostics);
        dilation.spin_error.take(spin_error_of(trace));
        both = both || (options.progress == ProgressChoice::automatic && overlaps_computation(trace));
        return {};
      };
      WW_CHECK(once(dilation.probes));
      if (both && factor > 1) WW_CHECK(once(true));
    }
    return {};
  };
  for (int run = options.first_run; run < options.first_run + options.repeat; ++run)
    if (const auto done = round(run); !done) {
      const int complete = run - options.first_run;
      if (!interruption::requested() || complete == 0) return tl::unexpected(done.error());
      std::erase_if(dilation.runs, [&](const DilatedRun& one) { return one.round == run; });
      dilation.diagnostics.add("interrupted", fmt::format("interrupted after {} of {} rounds, which count",
                                                          complete, options.repeat));
      break;
    }
  dilation.meter = plan.cpu_meter ? "cpu" : "wall";
  dilation.assumptions = assumptions_of(options, dilation);
  if (options.machine != nullptr) say_flags({options.machine}, dilation.assumptions, dilation.diagnostics);
  if (both) compare_progress(dilation, options.factors);
  dilation.diagnostics.merge(conditions.said());
  conclude(dilation, keeps_software(options));
  return dilation;
}

}  // namespace ww

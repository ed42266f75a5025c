#include "dilate/dilation_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/units.hpp"
#include "dilate/told_costs.hpp"
#include "interpose/core/environment.hpp"

namespace ww {
namespace {

constexpr double most_apart = 0.01;  // of the run's time

// What the run is to be like. Without a what-if S3's: the wire D times as fast, and the software of a message
// stays what it is.
std::optional<WhatIf> emulated(double factor, const DilateOptions& options, const RunPlan& plan) {
  std::optional<WhatIf> what_if = options.what_if;
  if (!what_if) {
    if (options.machine == nullptr || options.leave_software || factor == 1) return std::nullopt;
    what_if.emplace();
    what_if->bandwidth = factor;
    what_if->latency = 1 / factor;
  }
  if (plan.network) what_if->network = plan.network;
  return what_if;
}

}  // namespace

Result<void> can_dilate(const WhatIf& what_if) {
  if (what_if.topology)
    return wrong_usage("another network cannot be dilated", what_if.spec,
                       "simulate it: whatwire simulate --network " + what_if.topology->text);
  if (what_if.ranks_per_host > 0)
    return wrong_usage("ranks that are not where they run cannot be dilated", what_if.spec,
                       "simulate it: whatwire simulate, or run it so: whatwire dilate --virtual");
  if (what_if.machine)
    return wrong_usage("another machine cannot be dilated", what_if.spec, "simulate it: whatwire simulate");
  if (!what_if.compute_scopes.empty())
    return wrong_usage("some ranks' or regions' computation cannot be dilated apart from the others'",
                       what_if.spec, "simulate it: whatwire simulate");
  return {};
}

Result<Variables> variables_for(double factor, const DilateOptions& options, const RunPlan& plan) {
  Variables variables{{environment::dilation, fmt::format("{:.9g}", factor)}};
  if (plan.cpu_meter) variables.emplace_back(environment::meter, "cpu");
  if (plan.probes) variables.emplace_back(environment::progress, "probes");
  const std::optional<WhatIf> what_if = emulated(factor, options, plan);
  if (!what_if) return variables;
  WW_INVARIANT(options.machine != nullptr);
  if (what_if->compute != 1) {
    if (factor < what_if->compute)
      return wrong_usage(fmt::format("D = {:g} is too small for this what-if", factor), what_if->spec,
                         fmt::format("computation {:g} times as fast needs a D as large", what_if->compute));
    variables.emplace_back(environment::stretch, fmt::format("{:.9g}", factor / what_if->compute));
  }
  if (!options.what_if) variables.emplace_back(environment::wire_follows, "1");
  const MachineModel target = apply(*options.machine, *what_if);
  WW_CHECK(is_large_enough(factor, *what_if, *options.machine));
  variables.emplace_back(environment::stamps, "1");
  const SoftwareTold told{options.extra_software_s, options.kept_share};
  SoftwareTold told_of_target = told;
  if (options.what_if) told_of_target.extra_s *= options.what_if->found_software_share();
  for (auto& cost : costs_environment(*options.machine, target, told, told_of_target))
    variables.push_back(std::move(cost));
  return variables;
}

namespace {

bool call_at_once(const RunRecord::Rank& rank) {
  return rank.stretch.thread_level == "multiple" && rank.stretch.calling_threads > 1;
}

}  // namespace

bool shares_cores(const Trace& trace) {
  const RunRecord& run = trace.run;
  int busy = 0;
  for (const RunRecord::Rank& rank : run.ranks)
    if (run.is_here(rank)) busy += call_at_once(rank) ? rank.stretch.calling_threads : 1;
  return run.machine.usable_processors > 0 && busy > run.machine.usable_processors;
}

bool threads_call_at_once(const Trace& trace) {
  return std::any_of(trace.run.ranks.begin(), trace.run.ranks.end(), call_at_once);
}

bool overlaps_computation(const Trace& trace) {
  for (const RankTrace& rank : trace.ranks)
    for (const ActionKind kind : rank.kind)
      if (kind == ActionKind::isend || kind == ActionKind::irecv || kind == ActionKind::icollective)
        return true;
  return false;
}

Result<void> threads_are_followed(const Trace& trace) {
  constexpr double most_unseen = 0.05;
  constexpr const char* remedy =
      "let one thread at a time call MPI (MPI_THREAD_SERIALIZED), or simulate: whatwire simulate";
  for (const RunRecord::Rank& rank : trace.run.ranks) {
    if (!call_at_once(rank)) continue;
    const std::string who = fmt::format("{} threads of rank {} call MPI at once",
                                        rank.stretch.calling_threads, rank.rank.value_or(0));
    if (rank.stretch.teams)
      return fail(who +
                      ", in teams of OpenMP: which of them lets which go on cannot be seen, so that what one "
                      "is delayed by is not passed before",
                  trace.run.program, remedy);
    if (rank.stretch.unseen_wait_s > most_unseen * rank.elapsed_s)
      return fail(
          fmt::format("{} and slept {:.2g} s outside of it where it cannot be seen for whom (a futex, a "
                      "pipe, a file): what one is delayed by is not passed before another goes on",
                      who, rank.stretch.unseen_wait_s),
          trace.run.program, remedy);
  }
  return {};
}

void SpinError::take(const SpinError& other) {
  median_s = std::max(median_s, other.median_s);
  p99_s = std::max(p99_s, other.p99_s);
  stretches += other.stretches;
}

SpinError spin_error_of(const Trace& trace) {
  SpinError worst;
  for (const RunRecord::Rank& rank : trace.run.ranks)
    if (const RunRecord::Stretch& stretch = rank.stretch; stretch.count > 0)
      worst.take({1e-9 * stretch.late_median_ns, 1e-9 * stretch.late_p99_ns, stretch.count});
  return worst;
}

void say_set_by_program(const NormalisedRun& run, double factor, const DilateOptions& options,
                        Diagnostics& said) {
  if (run.set_by_program.empty()) return;
  double whole_s = 0;
  for (const TimeAtFactor& time : run.set_by_program) whole_s += time.elapsed_s;
  std::string times;
  for (const TimeAtFactor& time : run.set_by_program)
    times += fmt::format("{}{} of it at D = {:g}", times.empty() ? "" : ", ",
                         percent(time.elapsed_s, whole_s), time.factor);
  said.add(
      "dilated-by-program",
      fmt::format("the program set D itself (ww_dilate) in the run at -D {:g}: {}; each part of its time is "
                  "divided by the D in force",
                  factor, times));
  if (run.apart_s > most_apart * run.elapsed_s)
    said.add(
        "dilated-apart",
        fmt::format("at -D {:g} ranks set D at different times, by which their divided times came apart by "
                    "up to {}: call ww_dilate on all ranks, after a barrier",
                    factor, show_time(run.apart_s)));
  if (!options.what_if) return;
  double too_little_s = 0;
  for (const TimeAtFactor& time : run.set_by_program)
    if (!is_large_enough(time.factor, *options.what_if, *options.machine) ||
        time.factor < options.what_if->compute)
      too_little_s += time.elapsed_s;
  if (too_little_s > 0)
    said.add(
        "dilated-too-little",
        fmt::format("for {} of the run at -D {:g} the program had set a D at which {} cannot be had: there "
                    "it ran on a slower network; D = {:.3g} is the least",
                    percent(too_little_s, whole_s), factor, options.what_if->spec,
                    least_factor(*options.what_if, *options.machine)));
}

std::vector<std::string> assumptions_of(const DilateOptions& options, const Dilation& dilation) {
  std::vector<std::string> said;
  said.push_back(dilation.meter == "cpu"
                     ? "computation is what a rank's calling thread had of its core between calls"
                     : "computation is all time between calls, reading files among it");
  if (dilation.threads_call_at_once)
    said.push_back(
        "threads that call MPI at once wait for each other in functions of POSIX threads alone, and compute "
        "whenever they do not wait");
  said.push_back(dilation.probes ? "open operations progress while computation is stretched"
                                 : "open operations progress inside calls of MPI only");
  if (options.factor_was_chosen)
    said.push_back(fmt::format("D = {:g} was chosen, the least at which the machine is as fast as {} in all",
                               options.factors.front(), options.what_if ? options.what_if->spec : ""));
  if (options.what_if) {
    said.push_back("what is not to become faster is added to each message as the machine model says");
  } else if (options.machine != nullptr && !options.leave_software) {
    said.push_back(
        "the software of messages is stretched like computation, by the costs of the machine model");
  } else {
    said.push_back("the software of messages becomes faster with the wire (with --machine it does not)");
  }
  return said;
}

}  // namespace ww

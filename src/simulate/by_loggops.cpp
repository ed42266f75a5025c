#include "simulate/by_loggops.hpp"

#include <cmath>
#include <limits>

#include "machine/what_if.hpp"
#include "simulate/graph_told.hpp"
#include "simulate/schedule/batch.hpp"
#include "simulate/schedule/predict_schedule.hpp"

namespace ww::simulate {

Result<ByLogGops> ByLogGops::make(const Program& program, const MachineModel& machine,
                                  const PredictOptions& options) {
  ByLogGops out(program, machine, options);
  WW_TRY(out.graph_, schedule_of(program));
  out.options_.threads = 1;
  out.options_.observer = nullptr;  // it is told of the what-if
  WW_TRY(const Prediction as_it_is, out.predict({}));
  out.baseline_s_ = as_it_is.predicted_s;
  out.options_ = options;
  return out;
}

Result<Prediction> ByLogGops::predict(const WhatIf& what_if) const {
  const bool free = options_.evaluator == Evaluator::free;
  Observer* const observer = options_.observer;
  WW_INVARIANT(observer == nullptr || !program_->graph);
  std::vector<schedule::Service> services;
  WW_TRY(schedule::SchedulePrediction of_schedule,
         schedule::predict_schedule(
             graph_.schedule, *machine_, what_if,
             {.free_only = free,
              .threads = options_.threads,
              .interval = options_.interval,
              .listening = {observer != nullptr ? &services : nullptr, options_.cancellation}}));
  Prediction out;
  out.what_if = what_if.spec;
  out.recorded = !program_->graph;
  out.recorded_s = program_->recorded.elapsed_s;
  out.replayed_s = out.uncalibrated_s = out.baseline_s = baseline_s_;
  out.changes_nothing = what_if.is_identity();
  out.predicted_s = out.simulated.elapsed_s = of_schedule.predicted_s;
  out.has_interval = options_.interval;
  out.predicted_low_s = of_schedule.low_s;
  out.predicted_high_s = of_schedule.high_s;
  for (const schedule::RankTimes& rank : of_schedule.ranks) {
    SimulatedRank& to = out.simulated.ranks.emplace_back();
    to.rank = static_cast<std::int32_t>(out.simulated.ranks.size() - 1);
    // The schedule of a recorded program computes until its rank began.
    if (!program_->graph)
      to.begin_s = schedule::seconds(of_schedule.machine.compute(static_cast<std::uint64_t>(
          std::llround(program_->ranks[out.simulated.ranks.size() - 1].begin_s * 1e9))));
    to.elapsed_s = rank.elapsed_s - to.begin_s;
    to.compute_s = rank.compute_s - to.begin_s;
    to.library_s = rank.software_s;
    to.blocked_s = rank.blocked_s();
  }
  out.simulated.events = of_schedule.events;
  out.simulated.evaluate_s = of_schedule.evaluate_s;
  out.simulated.network.name = free ? "free" : "windows";
  const auto on_chain = [&](std::int64_t schedule::Chain::*times) {
    return of_schedule.free ? static_cast<double>(of_schedule.free->chain.*times)
                            : std::numeric_limits<double>::quiet_NaN();
  };
  out.latency_s_per_s = on_chain(&schedule::Chain::L);
  out.seconds_per_byte_s_per_s = on_chain(&schedule::Chain::G);
  out.overhead_s_per_s = on_chain(&schedule::Chain::o);
  out.assumptions = std::move(of_schedule.assumptions);
  out.assumptions.insert(out.assumptions.end(), graph_.assumptions.begin(), graph_.assumptions.end());
  out.diagnostics = program_->diagnostics;
  out.diagnostics.merge(of_schedule.diagnostics);
  if (observer != nullptr) {
    tell(*program_, graph_.schedule, of_schedule.machine, services, *observer);
    WhatIf where = what_if;
    where.network = program_->recorded.network;
    Conditions under;
    under.model = apply(*machine_, where);
    under.model.loggops = of_schedule.on;
    under.evaluator = options_.evaluator;
    out.conditions = std::make_shared<Conditions>(std::move(under));
  }
  return out;
}

Result<std::vector<ByLogGops::Brief>> ByLogGops::predict_many(const std::vector<WhatIf>& what_ifs) const {
  WW_INVARIANT(options_.evaluator == Evaluator::free);
  std::vector<schedule::LogGopsTicks> machines;
  for (const WhatIf& what_if : what_ifs) {
    WW_TRY(const schedule::LogGopsTicks machine, schedule::machine_of(*machine_, what_if));
    machines.push_back(machine);
  }
  WW_TRY(const std::vector<schedule::BatchRun> runs,
         schedule::evaluate_batch(graph_.schedule, machines,
                                  {.threads = options_.threads, .cancellation = options_.cancellation}));
  std::vector<Brief> out;
  for (const schedule::BatchRun& run : runs)
    out.push_back({schedule::seconds(run.finish), static_cast<double>(run.slopes.latency),
                   static_cast<double>(run.slopes.per_byte), static_cast<double>(run.slopes.overhead),
                   run.blocked_s});
  return out;
}

}  // namespace ww::simulate

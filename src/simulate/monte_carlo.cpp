#include "simulate/monte_carlo.hpp"

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "simulate/schedule/batch.hpp"
#include "simulate/schedule/predict_schedule.hpp"
#include "simulate/variants.hpp"
#include "stats/order.hpp"

namespace ww::simulate {

Result<MonteCarlo> monte_carlo(const schedule::Schedule& schedule, const MachineModel& model,
                               const WhatIf& what_if, std::uint64_t draws, unsigned threads,
                               const Cancellation* cancellation, std::uint64_t seed) {
  const MachineModel& of = what_if.machine ? *what_if.machine : model;
  if (of.loggops || !has_intervals(of))
    return wrong_usage(of.loggops ? "a machine given as LogGOPS has no intervals to draw from"
                                  : "the machine model has no intervals to draw from",
                       of.name, "take a measured model, or leave --monte-carlo out");
  WhatIf changes = what_if;
  changes.machine = nullptr;
  std::mt19937_64 random(seed);
  std::vector<schedule::LogGopsTicks> machines;
  for (std::uint64_t i = 0; i < draws; ++i) {
    if (cancellation != nullptr && cancellation->requested()) return cancelled();
    WW_TRY(const schedule::LogGopsTicks machine, schedule::machine_of(drawn(of, random), changes));
    machines.push_back(machine);
  }
  WW_TRY(const std::vector<schedule::BatchRun> runs,
         schedule::evaluate_batch(schedule, machines,
                                  {.slopes = false, .threads = threads, .cancellation = cancellation}));
  std::vector<double> all_s;
  for (const schedule::BatchRun& run : runs) all_s.push_back(schedule::seconds(run.finish));
  return MonteCarlo{draws, seed, stats::median(all_s), stats::quantile(all_s, 0.025),
                    stats::quantile(all_s, 0.975)};
}

nlohmann::json to_json(const MonteCarlo& spread) {
  return {{"draws", spread.draws},
          {"seed", spread.seed},
          {"median_s", spread.median_s},
          {"low_s", spread.low_s},
          {"high_s", spread.high_s}};
}

}  // namespace ww::simulate

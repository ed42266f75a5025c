// How a time without contention spreads over machines that the measured one may as well be.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "base/cancellation.hpp"
#include "machine/what_if.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::simulate {

struct MonteCarlo {
  std::uint64_t draws = 0, seed = 0;
  double median_s = 0, low_s = 0, high_s = 0;  // low and high: 2.5% and 97.5%
};

// The finish of `schedule` on so many machines drawn by drawn() (variants.hpp), each changed by `what_if`, which
// has LogGOPS see it; all played side by side (schedule/batch.hpp). The same for a seed in any number of threads.
// Errors: as a prediction by free; a model whose numbers have no intervals, or are those of LogGOPS itself;
// that it was cancelled.
Result<MonteCarlo> monte_carlo(const schedule::Schedule& schedule, const MachineModel& model,
                               const WhatIf& what_if, std::uint64_t draws, unsigned threads,
                               const Cancellation* cancellation = nullptr, std::uint64_t seed = 1);
nlohmann::json to_json(const MonteCarlo& spread);

}  // namespace ww::simulate

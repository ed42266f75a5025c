// A schedule's time on a machine, with what it rests on: the answer of `whatwire simulate FILE.goal`.
#pragma once
#include <algorithm>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "machine/what_if.hpp"
#include "simulate/schedule/maxplus.hpp"
#include "simulate/schedule/windows.hpp"

namespace ww::schedule {

// The machine as LogGOPS has it: what the model says, else taken from its link between hosts (or within one):
// o is half the software of a byte (F + U), L the rest of its one-way time, G the wire's time of a byte of
// large messages, g its port's time of a small one, O the slope of F, S the eager threshold.
struct TakenParameters {
  LogGops machine;
  std::vector<std::string> assumptions;
};
Result<TakenParameters> loggops_of(const MachineModel& model);

// Its computation is not in there. Errors: a part of the what-if that LogGOPS knows nothing of.
Result<LogGops> loggops_under(const LogGops& machine, const WhatIf& what_if);
// Both, with the computation, in ticks.
Result<LogGopsTicks> machine_of(const MachineModel& model, const WhatIf& what_if);

struct RankTimes {
  double elapsed_s = 0, compute_s = 0, software_s = 0;
  double blocked_s() const { return std::max(0.0, elapsed_s - compute_s - software_s); }
};

struct SchedulePrediction {
  std::string what_if;
  LogGops on;            // the machine that it is predicted for
  LogGopsTicks machine;  // ... in ticks, with the computation
  // low, high: over the rules of arbitration; no numbers where no interval was asked for
  double predicted_s = 0, low_s = 0, high_s = 0;
  std::vector<RankTimes> ranks;
  std::uint64_t events = 0;
  double evaluate_s = 0, load_s = 0;
  std::optional<Explained> free;  // of contention; with an interval or `explain`
  Growths grows;                  // with `explain`; to ten times each value, tolerances to a thousand times
  std::vector<std::string> assumptions;
  Diagnostics diagnostics;
};

struct ScheduleOptions {
  bool explain = false;
  bool free_only = false;  // the prediction is the time without contention
  unsigned threads = 1;
  bool interval = true;      // else one replay alone: no bounds, no chain
  Listening listening = {};  // services: of the prediction
};
// Errors: as loggops_of(), loggops_under() and play_windows().
Result<SchedulePrediction> predict_schedule(const Schedule& schedule, const MachineModel& model,
                                            const WhatIf& what_if, const ScheduleOptions& options = {});
JointScale scale_of(const SchedulePrediction& prediction);  // of its joint map
nlohmann::json to_json(const Schedule& schedule, const SchedulePrediction& prediction);

}  // namespace ww::schedule

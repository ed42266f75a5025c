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
struct Taken {
  LogGops machine;
  std::vector<std::string> assumptions;
};
Result<Taken> loggops_of(const MachineModel& model);

// Its computation is not in there. Errors: a part of the what-if that LogGOPS knows nothing of.
Result<LogGops> apply(const LogGops& machine, const WhatIf& what_if);
// Both, with the computation, in ticks.
Result<LogGopsTicks> machine_of(const MachineModel& model, const WhatIf& what_if);

struct RankTimes {
  double elapsed_s = 0, compute_s = 0, software_s = 0;
  double blocked_s() const { return std::max(0.0, elapsed_s - compute_s - software_s); }
};

struct SchedulePrediction {
  std::string what_if;
  LogGops on;                                     // the machine that it is predicted for
  LogGopsTicks machine;                           // ... in ticks, with the computation
  double predicted_s = 0, low_s = 0, high_s = 0;  // low, high: over the rules of arbitration
  std::vector<RankTimes> ranks;
  std::uint64_t events = 0;
  double evaluate_s = 0, load_s = 0;
  Explained free;  // of contention
  Growths grows;   // with `explain`; to ten times each value, tolerances to a thousand times
  std::vector<std::string> assumptions;
  Diagnostics diagnostics;
};

struct PredictOptions {
  bool explain = false;
  bool free_only = false;  // the prediction is the time without contention
  unsigned threads = 1;
  std::vector<Service>* services = nullptr;  // of play_all_rules(); not with free_only
};
Result<SchedulePrediction> predict(const Schedule& schedule, const MachineModel& model, const WhatIf& what_if,
                                   const PredictOptions& options = {});
JointScale scale_of(const SchedulePrediction& prediction);  // of its joint map
nlohmann::json to_json(const Schedule& schedule, const SchedulePrediction& prediction);

}  // namespace ww::schedule

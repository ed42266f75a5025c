// What a program's time would do if the network changed a little, or much: from the replay without
// contention.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "simulate/free/free.hpp"

namespace ww::simulate {

struct Explanation {
  FreeRun run;
  std::vector<double> blocked_s;  // by rank
  // By what is added to each parameter's value, in picoseconds: up to ten times the value, tolerances up to a
  // thousand times.
  schedule::Growths grows;
  std::map<Parameter, double> now_s;  // the machine's values
  schedule::JointScale joint_scale;
};

// Errors: as replay_free.
Result<Explanation> explain(const Program& program, const ReplayCosts& costs, const MachineModel& model,
                            FreeOptions options);
nlohmann::json to_json(const Explanation& explanation, const Program& program);

}  // namespace ww::simulate

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

// Curves for a picture: from where a parameter is nothing to ten times what it is, and at least up to these (of another
// machine that the picture shows too). No map of two parameters is made then.
struct CurvesFromNothing {
  double latency_s = 0, seconds_per_byte = 0, overhead_s = 0;
};
// What a machine has of each: its latency, its wire's time a byte, what a send's software takes.
CurvesFromNothing parameters_of(const MachineModel& model, Place network);

// Errors: as replay_free.
Result<Explanation> explain(const Program& program, const ReplayCosts& costs, const MachineModel& model,
                            FreeOptions options, const CurvesFromNothing* curves = nullptr);
nlohmann::json to_json(const Explanation& explanation, const Program& program);

}  // namespace ww::simulate

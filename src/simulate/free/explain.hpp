// What a program's time would do if the network changed a little, or much: from the replay without
// contention.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "simulate/free/free.hpp"

namespace ww::simulate {

struct Grows {
  Parameter parameter = Parameter::latency;
  double now_s = 0;            // the machine's value
  schedule::PieceCurve curve;  // by what is added to it, in picoseconds, up to ten times the value
  struct Within {
    int percent = 1;
    double up_to_s =
        0;  // the value at which the program is that much slower; infinite: not below a thousand times
  };
  std::vector<Within> within;
};

struct Explanation {
  FreeRun run;
  std::vector<double> blocked_s;  // by rank
  std::vector<Grows> grows;
  // By what is added to latency and to the time a byte, in picoseconds; unless one of them is 0.
  std::optional<schedule::JointMap> joint;
  schedule::JointScale joint_scale;
};

// Errors: as replay_free.
Result<Explanation> explain(const Program& program, const Costs& costs, const MachineModel& model,
                            FreeOptions options);
nlohmann::json to_json(const Explanation& explanation, const Program& program);
// Lines for a terminal, each ended.
std::string show(const Explanation& explanation, const Program& program);

}  // namespace ww::simulate

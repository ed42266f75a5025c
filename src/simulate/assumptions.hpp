// What a prediction by the events engine rests on, in words for whoever reads it.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "simulate/calibrate.hpp"
#include "simulate/simulate.hpp"
#include "simulate/stalls.hpp"

namespace ww::simulate {

// Of a network with a random part; the prediction is the first one's, its interval holds all of theirs.
constexpr std::uint64_t seeds_of_random = 5;

// How the recorded run comes out on the model of its machine.
struct SelfCheck {
  double software_s = 0;  // of the calibration, that was taken
  double replayed_s = 0;
  TrafficRules rules;
  Simulated simulated;
  std::vector<TrafficRules> also_possible = {};  // may be those of another run; the interval holds them
};

// Of a prediction that was asked for without one.
void say_no_interval(Prediction& out);

// What it found.
struct Known {
  const SelfCheck& check;
  const Calibration& calibration;
  bool as_predicted;  // the trace is a prediction, on the model that it was predicted for
  const char* calibrated_to() const { return calibration.extra_software_s < 0 ? "less" : "longer"; }
};

// All that holds of a prediction by the events engine, but for what it found of its network without contention.
void say_assumptions(Prediction& out, const Known& known, const Program& program, const MachineModel& model,
                     const WhatIf& what_if);
// Of a prediction for hosts that share cores; alone_s: with one for each.
std::string cores_are_shared(const Program& program, double alone_s);
std::string in_words(const TrafficRules& rules);  // without the two-way efficiency's figures
nlohmann::json to_json(const TrafficRules& rules);
void say_network(std::vector<std::string>& said, const Known& known, const SimulatedNetwork& network,
                 const NetworkSpec& spec);
void say_traffic_between_hosts(std::vector<std::string>& said, const Known& known, const MachineModel& model);
// Where other rules that are as possible take another time by more than 5%.
void say_modes(Diagnostics& diagnostics, const Prediction& prediction);
// Of a trace that is a prediction for another machine than the one that is given.
void say_other_model(Diagnostics& diagnostics, const MachineModel& predicted_for, const MachineModel& given);

// What stood still, if anything, and between which ranks first.
void say_stalls(Diagnostics& diagnostics, const Program& program, std::span<const Stall> stalls);

}  // namespace ww::simulate

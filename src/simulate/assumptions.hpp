// What a prediction by the events engine rests on, in words for whoever reads it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulate/calibrate.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

// Of a network with a random part; the prediction is the first one's, its interval holds all of theirs.
constexpr std::uint64_t seeds_of_random = 5;

// How the recorded run comes out on the model of its machine.
struct SelfCheck {
  double software_s = 0;  // of the calibration, that was taken
  double replayed_s = 0;
  TrafficRules rules;
  std::optional<TrafficRules> also_possible;  // these give the recorded time back as well
  Simulated simulated;
};

// What it found.
struct Known {
  const SelfCheck& check;
  const Calibration& calibration;
  bool as_predicted;  // the trace is a prediction, on the model that it was predicted for
  const char* calibrated_to() const { return calibration.extra_software_s < 0 ? "less" : "longer"; }
};

void say_network(std::vector<std::string>& said, const Known& known, const SimulatedNetwork& network,
                 const NetworkSpec& spec);
void say_traffic_between_hosts(std::vector<std::string>& said, const Known& known, const MachineModel& model);

}  // namespace ww::simulate

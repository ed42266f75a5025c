// S4's machines (6.2): its Ethernet, a faster one, PVM's overhead cut, and both.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "machine/what_if.hpp"
#include "simulate/stations/workstations.hpp"

namespace ww::stations {

struct StationsScenario {
  std::string what_if;  // "": the machine as it is
  StationRules rules;
  std::vector<StationsRun>
      runs;  // with other seeds of the back-off after collisions; the one of the median time first
  double low_s = 0, high_s = 0;  // of all runs
  const StationsRun& run() const { return runs.front(); }
};

struct StationsStudy {
  std::string machine;
  std::vector<StationsScenario> scenarios;
  std::vector<std::string> assumptions;
};

inline constexpr int stations_seeds = 5;

// Of a what-if the rate (bandwidth=) and the library's overhead (software=) count; anything else is an error, as S4 has no such thing.
Result<StationsStudy> run_scenarios(const std::vector<StationProgram>& stations, const MachineModel& machine,
                                    const std::vector<WhatIf>& what_ifs);

nlohmann::json to_json(const StationsStudy& study);

}  // namespace ww::stations

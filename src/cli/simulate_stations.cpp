#include "cli/simulate_stations.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "machine/model.hpp"
#include "render/prediction.hpp"
#include "render/stations_text.hpp"
#include "simulate/stations/scenarios_of_stations.hpp"

namespace ww::cli {

Result<int> simulate_stations(const std::filesystem::path& directory, const std::vector<WhatIf>& what_ifs,
                              const StationsOptions& options) {
  WW_TRY(const auto programs, stations::load_stations(directory));
  WW_TRY(const MachineModel machine,
         load_model(options.machine.empty() ? "pvm-ethernet-10" : options.machine));
  WW_TRY(const stations::StationsStudy study, stations::run_scenarios(programs, machine, what_ifs));
  if (options.json) {
    fmt::print("{}\n", json_text(to_json(study), 2));
  } else if (options.csv) {
    fmt::print("{}", stations_csv(study));
  } else {
    fmt::print("{}", stations_tables(study));
    fmt::print("{}", show_assumptions(std::vector<SaidOf>{{"", &study.assumptions}}));
  }
  return 0;
}

}  // namespace ww::cli

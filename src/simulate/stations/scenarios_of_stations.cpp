#include "simulate/stations/scenarios_of_stations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.hpp"

namespace ww::stations {
namespace {

bool is_of_stations(const WhatIf& what_if) {
  WhatIf rest = what_if;
  rest.bandwidth = rest.software = 1;
  return rest.is_identity() && what_if.bandwidth > 0 && what_if.software >= 0;
}

nlohmann::json in_json(const StationResult& one) {
  return {{"elapsed_s", one.elapsed_s},
          {"blocked_s", one.blocked_s},
          {"blocked_service_s", one.service_s},
          {"blocked_algorithmic_s", one.algorithmic_s},
          {"recorded_blocked_s", one.recorded_blocked_s},
          {"network_s", one.network_s},
          {"library_overhead_s", one.overhead_s},
          {"tcp_overhead_s", one.tcp_s},
          {"messages", one.messages},
          {"bytes", one.bytes}};
}

}  // namespace

Result<StationsStudy> run_scenarios(const std::vector<StationProgram>& stations, const MachineModel& machine,
                                    const std::vector<WhatIf>& what_ifs) {
  WW_TRY(const StationRules own, rules_of(machine));
  StationsStudy study{machine.name, {}, {}};
  for (const WhatIf& what_if : what_ifs) {
    if (!is_of_stations(what_if))
      return fail("S4's workstations have no such thing", what_if.spec,
                  "give bandwidth=xN, software=xN (of the library's overhead), or both");
    StationsScenario scenario{what_if.spec, own, {}, 0, 0};
    scenario.rules.bits_per_s *= what_if.bandwidth;
    scenario.rules.overhead = what_if.software;
    for (int seed = 1; seed <= stations_seeds; ++seed) {
      scenario.rules.seed = static_cast<std::uint64_t>(seed);
      WW_TRY(StationsRun run, run_stations(stations, scenario.rules));
      scenario.runs.push_back(std::move(run));
    }
    std::sort(scenario.runs.begin(), scenario.runs.end(),
              [](const auto& a, const auto& b) { return a.elapsed_s() < b.elapsed_s(); });
    scenario.low_s = scenario.runs.front().elapsed_s();
    scenario.high_s = scenario.runs.back().elapsed_s();
    std::swap(scenario.runs.front(), scenario.runs[scenario.runs.size() / 2]);
    study.scenarios.push_back(std::move(scenario));
  }
  study.assumptions = {
      fmt::format("S4's hosts, by its chapter 4: {} to hand a message over, {} of TCP for each line of s or "
                  "m and each receive that opens a message (as its "
                  "appendix has it, not for each packet), packets of {:g} bytes and {:g} of headers, one "
                  "after the other on an Ethernet with CSMA/CD, an "
                  "acknowledgement of each message that was read",
                  show_time(own.hand_over_s), show_time(own.tcp_s), own.payload_bytes, own.header_bytes),
      "software= cuts the library's overhead alone, TCP's stays; of each stretch of computation the same "
      "part is taken for overhead",
      "times of writing, reading and computing are as recorded; the interval is that of five runs with other "
      "seeds of the back-off, and of nothing else"};
  const bool overhead = std::any_of(stations.begin(), stations.end(),
                                    [](const StationProgram& one) { return !one.overhead.empty(); });
  if (!overhead)
    study.assumptions.push_back(
        "there are no overhead lines (overhead.N): the library's overhead is not known, and software= "
        "changes nothing");
  return study;
}

nlohmann::json to_json(const StationsStudy& study) {
  nlohmann::json out = {{"machine", study.machine},
                        {"assumptions", study.assumptions},
                        {"diagnostics", nlohmann::json::array()},
                        {"ranks", nlohmann::json::array()},
                        {"scenarios", nlohmann::json::array()}};
  for (const StationsScenario& one : study.scenarios) {
    nlohmann::json each = nlohmann::json::array();
    for (const StationResult& station : one.run().stations) each.push_back(in_json(station));
    out["scenarios"].push_back({{"what_if", one.what_if},
                                {"predicted_s", one.run().elapsed_s()},
                                {"predicted_low_s", one.low_s},
                                {"predicted_high_s", one.high_s},
                                {"collisions", one.run().collisions},
                                {"mean", in_json(mean(one.run().stations))},
                                {"stations", std::move(each)}});
  }
  // of the first, under the keys of any simulation
  const nlohmann::json& first = out["scenarios"].front();
  for (const char* key : {"what_if", "predicted_s", "predicted_low_s", "predicted_high_s"})
    out[key] = first[key];
  for (const nlohmann::json& station : first["stations"]) {
    nlohmann::json rank = station;
    rank["rank"] = out["ranks"].size();
    out["ranks"].push_back(std::move(rank));
  }
  return out;
}

}  // namespace ww::stations

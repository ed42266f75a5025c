// The four machines that S4 compares (its Chapter 6 and Appendix A): the one that recorded, a faster wire,
// software cut 90%, and both; each with where the stations' time went.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "simulate/simulate.hpp"

namespace ww {

struct Scenario {
  std::string name;
  WhatIf what_if;
};

// today, faster wire, software cut 90%, both. Errors: `faster_wire` is no SPEC, or has the software too.
Result<std::vector<Scenario>> scenarios(const std::string& faster_wire);

// Of all stations together: the sums of counts, the means of times. Stations are the ranks.
struct Stations {
  double blocked_s = 0, service_s = 0, algorithmic_s = 0, network_s = 0, queued_s = 0, library_s = 0,
         compute_s = 0, elapsed_s = 0;
  std::uint64_t messages = 0, bytes = 0;
  double service_percent() const;  // of the blocked time
};
Stations together(const std::vector<SimulatedRank>& ranks);

// "scenarios" of `simulate --json`: [{"name","what_if","predicted_s","predicted_low_s","predicted_high_s",
// gain_of()'s keys,
// "service_percent","mean":{...},"messages","bytes","stations":[{"rank","host","elapsed_s","compute_s",
// "library_s","blocked_s","blocked_service_s","blocked_algorithmic_s","network_s","queued_s","messages",
// "bytes"}]}]. predictions[i] is of scenarios[i].
nlohmann::json scenarios_json(const Trace& trace, const std::vector<Scenario>& scenarios,
                              const std::vector<Prediction>& predictions);

}  // namespace ww

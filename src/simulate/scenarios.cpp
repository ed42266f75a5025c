#include "simulate/scenarios.hpp"

#include <nlohmann/json.hpp>

#include "simulate/gain.hpp"

namespace ww {

Result<std::vector<Scenario>> scenarios(const std::string& faster_wire) {
  const std::string leaner = "software=x0.1";
  std::vector<Scenario> out{{"today", {}}};
  for (const auto& [name, spec] : {std::pair<std::string, std::string>{"faster wire", faster_wire},
                                   {"software cut 90%", leaner},
                                   {"both", faster_wire + "," + leaner}}) {
    WW_TRY(WhatIf what_if, parse_what_if(spec));
    out.push_back({name, std::move(what_if)});
  }
  return out;
}

double Stations::service_percent() const {
  return blocked_s > 0 ? 100 * service_s / blocked_s : 0;
}

Stations together(const std::vector<SimulatedRank>& ranks) {
  Stations out;
  const double each = ranks.empty() ? 0 : 1 / static_cast<double>(ranks.size());
  for (const SimulatedRank& rank : ranks) {
    out.elapsed_s += rank.elapsed_s * each;
    out.compute_s += rank.compute_s * each;
    out.library_s += rank.library_s * each;
    out.blocked_s += rank.blocked_s * each;
    out.service_s += rank.blocked_service_s * each;
    out.algorithmic_s += rank.blocked_algorithmic_s * each;
    out.network_s += rank.network_s * each;
    out.queued_s += rank.queued_s * each;
    out.messages += rank.messages_sent;
    out.bytes += rank.bytes_sent;
  }
  return out;
}

nlohmann::json scenarios_json(const Trace& trace, const std::vector<Scenario>& scenarios,
                              const std::vector<Prediction>& predictions) {
  WW_INVARIANT(scenarios.size() == predictions.size());
  nlohmann::json out = nlohmann::json::array();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Prediction& p = predictions[i];
    nlohmann::json stations = nlohmann::json::array();
    for (const SimulatedRank& rank : p.simulated.ranks)
      stations.push_back({{"rank", rank.rank},
                          {"host", trace.ranks[static_cast<std::size_t>(rank.rank)].host},
                          {"elapsed_s", rank.elapsed_s},
                          {"compute_s", rank.compute_s},
                          {"library_s", rank.library_s},
                          {"blocked_s", rank.blocked_s},
                          {"blocked_service_s", rank.blocked_service_s},
                          {"blocked_algorithmic_s", rank.blocked_algorithmic_s},
                          {"network_s", rank.network_s},
                          {"queued_s", rank.queued_s},
                          {"messages", rank.messages_sent},
                          {"bytes", rank.bytes_sent}});
    const Stations all = together(p.simulated.ranks);
    out.push_back({{"name", scenarios[i].name},
                   {"what_if", p.what_if},
                   {"predicted_s", p.predicted_s},
                   {"predicted_low_s", p.predicted_low_s},
                   {"predicted_high_s", p.predicted_high_s},
                   {"service_percent", all.service_percent()},
                   {"messages", all.messages},
                   {"bytes", all.bytes},
                   {"mean",
                    {{"elapsed_s", all.elapsed_s},
                     {"compute_s", all.compute_s},
                     {"library_s", all.library_s},
                     {"blocked_s", all.blocked_s},
                     {"blocked_service_s", all.service_s},
                     {"blocked_algorithmic_s", all.algorithmic_s},
                     {"network_s", all.network_s},
                     {"queued_s", all.queued_s}}},
                   {"stations", std::move(stations)}});
    out.back().update(to_json(gain_of(p)));
  }
  return out;
}

}  // namespace ww

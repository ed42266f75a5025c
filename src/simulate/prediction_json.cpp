#include <algorithm>
#include <nlohmann/json.hpp>

#include "simulate/assumptions.hpp"
#include "simulate/cooling.hpp"
#include "simulate/gain.hpp"
#include "simulate/simulate.hpp"

namespace ww {
namespace {

nlohmann::json channels_json(const std::vector<ChannelUse>& channels, double elapsed_s) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < std::min(most_told_channels, channels.size()); ++i) {
    const ChannelUse& one = channels[i];
    const bool has_rate = one.bytes_per_s > 0 && elapsed_s > 0;
    list.push_back(
        {{"channel", one.name},
         {"messages", one.messages},
         {"bytes", one.bytes},
         {"busy_s", one.busy_s},
         {"utilisation", elapsed_s > 0 ? one.busy_s / elapsed_s : 0},
         {"filled", has_rate ? nlohmann::json(one.bytes / one.bytes_per_s / elapsed_s) : nlohmann::json()}});
  }
  return list;
}

nlohmann::json network_json(const SimulatedNetwork& network, double elapsed_s) {
  nlohmann::json json{{"name", network.name}};
  for (const auto& [name, count] : network.counts) json[name] = count;
  if (const std::size_t all = network.channels.size(); all > 0) {
    json["channels"] = channels_json(network.channels, elapsed_s);
    json["channels_left_out"] = all - json["channels"].size();
  }
  return json;
}

}  // namespace

nlohmann::json to_json(const Prediction& prediction) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const SimulatedRank& rank : prediction.simulated.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"elapsed_s", rank.elapsed_s},
                     {"compute_s", rank.compute_s},
                     {"library_s", rank.library_s},
                     {"send_s", rank.send_s},
                     {"blocked_s", rank.blocked_s},
                     {"blocked_algorithmic_s", rank.blocked_algorithmic_s},
                     {"blocked_service_s", rank.blocked_service_s},
                     {"network_s", rank.network_s},
                     {"queued_s", rank.queued_s},
                     {"messages_sent", rank.messages_sent},
                     {"bytes_sent", rank.bytes_sent}});
  nlohmann::json also_possible = nlohmann::json::array();
  for (const UnderOtherRules& other : prediction.also_possible)
    also_possible.push_back({{"rules", simulate::to_json(other.rules)}, {"predicted_s", other.predicted_s}});
  nlohmann::json out = {
      {"what_if", prediction.what_if},
      {"recorded_s", prediction.recorded ? nlohmann::json(prediction.recorded_s) : nlohmann::json()},
      {"replayed_s", prediction.replayed_s},
      {"replayed_uncalibrated_s", prediction.uncalibrated_s},
      {"predicted_s", prediction.predicted_s},
      {"predicted_low_s", prediction.predicted_low_s},
      {"predicted_high_s", prediction.predicted_high_s},
      {"doubts", to_json(prediction.doubts)},
      {"ranks", std::move(ranks)},
      {"events", prediction.simulated.events},
      {"network", network_json(prediction.simulated.network, prediction.simulated.elapsed_s)},
      {"evaluate_s", prediction.simulated.evaluate_s},
      {"load_s", prediction.load_s},
      {"sensitivity",
       {{"latency_s_per_s", prediction.latency_s_per_s},
        {"seconds_per_byte_s_per_s", prediction.seconds_per_byte_s_per_s},
        {"overhead_s_per_s", prediction.overhead_s_per_s}}},
      {"rules", simulate::to_json(prediction.rules)},
      {"also_possible", std::move(also_possible)},
      {"arbitration", simulate::arbitration_json(prediction.arbitration, prediction.predicted_s)},
      {"on_shared_cores_s",
       prediction.on_shared_cores_s > 0 ? nlohmann::json(prediction.on_shared_cores_s) : nlohmann::json()},
      {"calibrated_software_s", prediction.calibrated_software_s},
      {"send_kept_share", prediction.send_kept_share},
      {"disturbed_computations", prediction.disturbed_computations},
      {"disturbance_s", prediction.disturbance_s},
      {"computation_doubt_s", prediction.computation_doubt_s},
      {"computation", prediction.cooling ? simulate::to_json(*prediction.cooling) : nlohmann::json()},
      {"assumptions", prediction.assumptions},
      {"diagnostics", prediction.diagnostics}};
  out.update(to_json(gain_of(prediction)));
  if (!prediction.contention_free.empty())
    out["contention_free"] = nlohmann::json::parse(prediction.contention_free);
  return out;
}

}  // namespace ww

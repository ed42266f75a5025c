#include "study/simulated_signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "render/signature_text.hpp"
#include "simulate/gain.hpp"

namespace ww {

WhatIf faster_network(const WhatIf& base, double factor) {
  WhatIf out = base;
  if (factor == 1) return out;
  out.bandwidth *= factor;
  out.latency /= factor;
  if (out.latency_s) *out.latency_s /= factor;
  out.spec += fmt::format("{}D={:g}", out.spec.empty() ? "" : ",", factor);
  return out;
}

SignedRun signed_run(double factor, const Simulated& simulated) {
  SignedRun out;
  out.factor = factor;
  out.normalised_s = simulated.elapsed_s;
  for (const SimulatedRank& rank : simulated.ranks) {
    Components parts;
    parts.user_s = rank.compute_s;
    parts.send_s = rank.send_s;
    parts.communication_s = rank.library_s - rank.send_s;
    parts.receive_wait_s = rank.blocked_s;
    parts.algorithmic_s = rank.blocked_algorithmic_s;
    out.ranks.push_back({rank.rank, rank.elapsed_s, parts});
  }
  return out;
}

Result<SimulatedSignature> simulated_signature(const Replayable& run, const MachineModel& recorded_on,
                                               const WhatIf& base, std::vector<double> factors,
                                               const PredictOptions& options) {
  factors.push_back(1);
  std::sort(factors.begin(), factors.end());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  if (!(factors.front() >= 1))
    return wrong_usage(fmt::format("D = {:g} is below 1", factors.front()), "-D",
                       "slower networks are what-ifs: --what-if bandwidth=x0.5");
  std::vector<WhatIf> what_ifs;
  for (const double factor : factors) what_ifs.push_back(faster_network(base, factor));
  SimulatedSignature out;
  WW_TRY(out.predictions, predict_all(run, recorded_on, what_ifs, options));
  std::vector<SignedRun> runs;
  for (std::size_t i = 0; i < factors.size(); ++i)
    runs.push_back(signed_run(factors[i], out.predictions[i].simulated));
  out.signature = signature_of(runs);
  const Prediction& first = out.predictions.front();
  if (const std::string off = self_check_off(first.recorded_s, first.replayed_s); !off.empty())
    withhold(out.signature, off + "; " + remedy_of_withheld());
  return out;
}

nlohmann::json to_json(const SimulatedSignature& found) {
  nlohmann::json out = to_json(found.predictions.front());
  out.update(to_json(found.signature));
  out["runs"] = nlohmann::json::array();
  for (std::size_t i = 0; i < found.signature.rows.size(); ++i) {
    const Signature::Row& row = found.signature.rows[i];
    out["runs"].push_back({{"D", row.factor},
                           {"normalised_s", row.normalised_s},
                           {"predicted_low_s", found.predictions[i].predicted_low_s},
                           {"predicted_high_s", found.predictions[i].predicted_high_s},
                           {"components", to_json(row.mean)},
                           {"ranks", to_json(row.ranks)}});
  }
  return out;
}

}  // namespace ww

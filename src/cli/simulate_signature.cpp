#include "cli/simulate_signature.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "render/prediction.hpp"
#include "render/signature_text.hpp"
#include "study/simulated_signature.hpp"

namespace ww::cli {
namespace {

const std::vector<double> factors_of_s3{1, 2, 4, 6, 8, 16};  // Figures 3 and 4

nlohmann::json in_json(const SimulatedSignature& found) {
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

}  // namespace

Result<int> simulate_signature(const Replayable& run, const MachineModel& machine, const WhatIf& what_if,
                               const SignatureOptions& options, unsigned threads) {
  WW_TRY(const SimulatedSignature found,
         simulated_signature(run, machine, what_if, options.factors.empty() ? factors_of_s3 : options.factors,
                             {.threads = threads}));
  if (options.json) {
    fmt::print("{}\n", json_text(in_json(found), 2));
    return 0;
  }
  fmt::print("{}", signature_table(found.signature, options.every_rank));
  fmt::print("{}", conclusions(found.signature));
  fmt::print("the other witness is the program itself: whatwire dilate -D 1,{:g} --machine MODEL -- LAUNCH\n",
             found.signature.rows.back().factor);
  const Prediction& first = found.predictions.front();
  fmt::print("recorded {}, replayed on the recording machine {}\n{}", show_time(first.recorded_s),
             show_time(first.replayed_s), show_assumptions(first));
  return 0;
}

}  // namespace ww::cli

#include "cli/simulate_signature.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "render/prediction.hpp"
#include "render/signature_text.hpp"
#include "study/simulated_signature.hpp"

namespace ww::cli {

Result<int> simulate_signature(const Replayable& run, const MachineModel& machine, const WhatIf& what_if,
                               const SignatureOptions& options, unsigned threads) {
  const std::vector<double> usual(std::begin(factors_of_s3), std::end(factors_of_s3));
  WW_TRY(const SimulatedSignature found,
         simulated_signature(run, machine, what_if, options.factors.empty() ? usual : options.factors,
                             {.threads = threads}));
  if (options.json) {
    fmt::print("{}\n", json_text(to_json(found), 2));
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

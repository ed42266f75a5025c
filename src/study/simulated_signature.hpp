// S3's signature of a simulated machine: what `dilate` finds by running, found by replaying a trace.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/result.hpp"
#include "dilate/signature.hpp"
#include "simulate/simulate.hpp"

namespace ww {

// A network D times as fast as that of `base`: D times the bandwidth, 1/D of the latency. Software stays, as
// S3 counts it as computation.
WhatIf faster_network(const WhatIf& base, double factor);

SignedRun signed_run(double factor, const Simulated& simulated);

struct SimulatedSignature {
  Signature signature;
  std::vector<Prediction> predictions;  // one a D, rising
};
inline constexpr double factors_of_s3[] = {1, 2, 4, 6, 8, 16};  // its Figures 3 and 4
// `simulate --signature --json`: the prediction of D = 1, what dilate tells, and "runs", one a D.
nlohmann::json to_json(const SimulatedSignature& found);

// Factors: 1 is added where it is missing. Errors: a factor below 1; predict_all()'s.
Result<SimulatedSignature> simulated_signature(const Replayable& run, const MachineModel& recorded_on,
                                               const WhatIf& base, std::vector<double> factors,
                                               const PredictOptions& options);

}  // namespace ww

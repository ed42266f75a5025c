// `simulate --signature`: S3's results of a simulated machine.
#pragma once
#include <vector>

#include "base/result.hpp"
#include "simulate/simulate.hpp"

namespace ww::cli {

struct SignatureOptions {
  std::vector<double> factors;  // empty: S3's
  bool every_rank = false, json = false;
};

Result<int> simulate_signature(const Replayable& run, const MachineModel& machine, const WhatIf& what_if,
                               const SignatureOptions& options, unsigned threads);

}  // namespace ww::cli

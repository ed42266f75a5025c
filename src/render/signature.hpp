// The signature of runs at several D on the terminal: S3's Table 1, and what follows from it.
#pragma once
#include <string>

#include "dilate/signature.hpp"

namespace ww {

// One row a D: percent and normalised seconds of each component, mean of the ranks; every rank too on
// request.
std::string signature_table(const Signature& signature, bool every_rank);
// Speed-ups with their intervals, where the curve flattens, the verdict.
std::string conclusions(const Signature& signature);

}  // namespace ww

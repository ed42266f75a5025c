// The signature of runs at several D on the terminal: S3's Table 1, and what follows from it.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dilate/signature.hpp"

namespace ww {

// One row a D: percent and normalised seconds of each component, mean of the ranks; every rank too on
// request.
std::string signature_table(const Signature& signature, bool every_rank);
// Speed-ups with their intervals, where the curve flattens, the verdict.
std::string conclusions(const Signature& signature);
// Why no verdict is said though there are several D; empty: there is one.
std::string why_withheld(const Signature& signature);
// "signature" (percent at D = 1; null without), "shares" (percent at each D), "speedup", "flattens",
// "verdict", "because", "verdict_withheld" (null unless there are several D and no verdict).
nlohmann::json to_json(const Signature& signature);

}  // namespace ww

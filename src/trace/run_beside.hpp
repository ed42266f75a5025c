// What run.json beside an archive says of a trace. Of a damaged one the rest is used, and what is missing is said.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

#include "trace/trace.hpp"

namespace ww {

// Whoever reads messages counts these itself.
inline constexpr DiagnosticName clock_violation = "clock-violation";

// The run, its dilation, whether it is a prediction, and how far clocks are uncertain. Gives run.json; null: there is none.
nlohmann::json take_run(Trace& trace, const std::filesystem::path& dir);
// What was met when it was recorded, but for clock_violation.
void take_diagnostics(Trace& trace, const nlohmann::json& run);

}  // namespace ww

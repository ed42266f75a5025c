// What a study may say in one sentence, and by whom. Gain is what leads against its own baseline, never a
// prediction against a recorded time, so that the error of a replay is no gain:
//   the real run       against the recorded one, where like runs of both are alike
//   simulation         against the replay of the recording on the model of its own machine, where that replay
//                      (the self-check) gives the recorded time within 10% and like runs are alike
//   the virtual clock  where they are not: against the virtual clock on today's machine; it does not know
//                      what else the machine was busy with
// Else there is none: `by` is null and `because` says why. The interval is there in any case.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ww {

// Spread of like runs, of their median, above which they differ.
inline constexpr double most_runs_differ = 0.05;
// What a replay on the machine of the recording may be off.
inline constexpr double most_self_check = 0.10;

bool runs_differ(const std::vector<double>& runs_s);

// Of one what-if of a study, both as html_report() takes them:
// {"by": "real run"|"simulation"|"virtual clock"|null, "s","low","high": the time, of what leads or, if
//  nothing does, of simulation; "baseline_s","gain","gain_low","gain_high": null if not known;
//  "self_check": replayed / recorded - 1 or null; "because": why simulation does not lead, "";
//  "sentence": for a reader}
nlohmann::json headline_of(const nlohmann::json& study, const nlohmann::json& what_if);

// Into each what-if of the study that has none: "headline".
void add_headlines(nlohmann::json& study);

// Why no verdict can be given of runs of this study, or nothing: the first what-if's self-check, like runs.
std::optional<std::string> why_no_verdict(const nlohmann::json& study);

}  // namespace ww

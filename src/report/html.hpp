// The HTML report: one file that opens offline, with everything in it (web/ makes its style and script).
//
// Its data, all times in seconds unless the key says otherwise; what is absent or null is not shown:
// {"title": "What another network would do", "made_by": "whatwire 0.1.0",
//  "machine": the model the programs were recorded on (as `machine show --json`; docs/machine-model.md has
//  its keys), "machines": [models] drawn side by side, as `machine diff --html` does; "studies" is then [],
//  "sweeps": [{"name","recorded_s","axes","cells"}] as `simulate --sweep --json` has one, with a name
//  "diagnostics": [{"name","severity","count","remedy"}], "assumptions": ["..."]       of the whole
//  "studies": [{                                            one a program; study.json and what was kept
//  beside it
//    "name": "cg", "launch": "mpirun -n 2 ./cg" or a list of words,
//    "recorded_s": median, "recorded_runs_s": [one a run], "replayed_s": the simulator's self-check,
//    "virtual_today": T, of the virtual clock on today's machine,
//    "what_ifs": [{"spec": "bandwidth=x10", "simulated": T, "dilated": T, "real": T, "agree": true}],
//                                                       T = {"s", "low", "high"} or null; low and high may be
//                                                       absent; "headline": headline.hpp, made if absent
//    "report": as `report --json`; "peers": [{"source","destination","messages","bytes"}] (here or in
//    "report"), "timeline": timeline_json(), "dilation": as `dilate --json`, "machine": as above, if it
//    differs from the common one, "assumptions": ["..."], "diagnostics": [...]}]}
// "name", "recorded_s" and "what_ifs" are required. A diagnostic whose name begins with "times-disturbed"
// marks the program's times as disturbed wherever they stand. "dilation" may have "verdict_withheld", why.
// Every string may hold anything: it is shown, never interpreted.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.hpp"

namespace ww {

// Errors name the key that is missing or has the wrong type: "studies[0].what_ifs[1].spec".
Result<std::string> html_report(const nlohmann::json& data);

// Is the file a page of ours, which may be written anew?
bool is_html_report(const std::filesystem::path& file);

}  // namespace ww

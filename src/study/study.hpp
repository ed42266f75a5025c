// The main job: record the program, explain its waiting, predict what another network would do for it by
// simulation and by dilation, and where the network can be set (the lab) look at the truth. One answer, with
// what it rests on.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/new_result.hpp"
#include "base/result.hpp"
#include "dilate/components.hpp"
#include "lab/name.hpp"
#include "machine/what_if.hpp"
#include "simulate/simulate.hpp"

namespace ww {

struct StudyOptions {
  std::vector<std::string> what_ifs;  // SPECs; empty: bandwidth=x10 and latency=x0.1
  std::optional<std::filesystem::path>
      machine;  // a model file; else the machine is measured with the launch line's prefix
  std::vector<double> factors{1, 2, 4};  // D of the speed-up curve; empty: no dilation at all
  std::optional<lab::LabName> lab;
  bool virtual_time = true;         // also in virtual time
  int repeat = 3;                   // rounds: runs of each kind; the median counts
  std::filesystem::path directory;  // study.json, report.html, machine.json, traces: NAME of new_result.hpp
  owned::Previous previous = owned::Previous::keep;  // what becomes of an older study there
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

struct Estimate {
  double value_s = 0, low_s = 0, high_s = 0;
};

// A time from repeated runs: the median, and the range of the runs (of 5 runs it covers the median with 94%).
Estimate from_runs(const std::vector<double>& runs_s);

// A time predicted from several recordings: the median of the predictions. Its interval is that of `middle`, the prediction
// that is the median, and, independent of it, what the median of as many other runs may differ by, as told by how these do, and with them
// `other_runs`, which did the same in another way (dilated, in virtual time): three runs alone say little of what three others differ by.
Estimate from_predictions(const std::vector<double>& predicted_s, const Prediction& middle,
                          const std::vector<std::vector<double>>& other_runs);
// What makes that interval as wide as it is: what `middle` says of its own, and what the runs differ by.
std::vector<SourceOfDoubt> doubts_of_predictions(const std::vector<double>& predicted_s,
                                                 const Prediction& middle,
                                                 const std::vector<std::vector<double>>& other_runs);

struct WhatIfAnswer {
  WhatIf what_if;
  Estimate simulated;
  std::vector<SourceOfDoubt> doubts;  // what makes its interval as wide as it is
  std::optional<Estimate> dilated, virtual_time, real;
  std::vector<double> simulated_runs_s, dilated_runs_s, virtual_runs_s, real_runs_s;  // a round each
  std::string not_dilated, not_virtual, no_real;  // why there is no such column
  bool agree = false;                             // see agreement.cpp
  std::string disagreement;  // which two differ, by how much, and in what; empty if they agree
  // Of "simulation", "dilation", "virtual clock", "reality": where the time of a rank went, mean of the ranks
  // and of the rounds.
  std::map<std::string, Components> components;
  nlohmann::json prediction;  // `simulate --json` of the round whose prediction is the median
};

struct Study {
  std::string summary;  // where the time went, for a terminal
  nlohmann::json json;  // study.json: interface.md, and what the report's page needs (report/html.hpp)
  std::vector<WhatIfAnswer> answers;
  std::vector<double> recorded_runs_s;
  Diagnostics diagnostics;
  // What the models of the machines say of themselves (machine/flags.hpp); in `json` among the assumptions.
  std::vector<std::string> model_flags;
  std::vector<std::string> said;  // what became of an older study, for the user
};

// Errors: what the stages say; then nothing is left behind and an older study is as it was. Everything is
// below options.directory.
Result<Study> study(const std::vector<std::string>& launch_line, const StudyOptions& options);

// Do simulation, dilation, virtual clock and reality agree? Each pair whose intervals overlap or whose values
// differ by at most `tolerance` does. Of the pair that is furthest apart: the part of the ranks' time that it
// is most apart in, and what either assumes of that.
void judge_agreement(WhatIfAnswer& answer, double tolerance = 0.10);

}  // namespace ww

#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/breakdown.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "dilate/dilate.hpp"
#include "machine/flags.hpp"
#include "render/breakdown_text.hpp"
#include "render/dilation.hpp"
#include "report/headline.hpp"
#include "report/html.hpp"
#include "report/timeline_json.hpp"
#include "study/rounds.hpp"
#include "study/simulated_signature.hpp"
#include "study/study_entries.hpp"
#include "study/virtual_today.hpp"
#include "study/witness.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

void say_if_runs_differ(const std::string& kind, const std::vector<double>& runs_s, Diagnostics& said) {
  if (!runs_differ(runs_s)) return;
  const Estimate spread = from_runs(runs_s);
  said.add("runs-differ",
           fmt::format("like runs ({}) took {:.3g} to {:.3g} s: the machine or the program is not steady; "
                       "close other programs, give each rank its core, repeat more often",
                       kind, spread.low_s, spread.high_s));
}

// The index of the median, or of the lower one next to it.
std::size_t median_index(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order[(order.size() - 1) / 2];
}

// The mean of the rounds that have it.
template <class Find>
void put_components(WhatIfAnswer& answer, const char* name, const Rounds& all, std::size_t what_if,
                    Find&& find) {
  Components sum;
  int count = 0;
  for (const StudyRound& round : all.rounds)
    if (const std::optional<Components> components = find(round.answers[what_if])) {
      sum += *components;
      ++count;
    }
  if (count > 0) answer.components[name] = sum / count;
}

WhatIfAnswer answer_of(const Rounds& all, std::size_t what_if, Diagnostics& said) {
  WhatIfAnswer answer;
  answer.what_if = all.what_ifs[what_if];
  for (const StudyRound& round : all.rounds) {
    const RoundAnswer& of_round = round.answers[what_if];
    answer.simulated_runs_s.push_back(of_round.prediction.predicted_s);
    if (of_round.dilated_s) answer.dilated_runs_s.push_back(*of_round.dilated_s);
    if (of_round.virtual_s) answer.virtual_runs_s.push_back(*of_round.virtual_s);
    if (answer.not_virtual.empty()) answer.not_virtual = of_round.not_virtual;
    if (of_round.real_s) answer.real_runs_s.push_back(*of_round.real_s);
    if (answer.not_dilated.empty()) answer.not_dilated = of_round.not_dilated;
    if (answer.no_real.empty()) answer.no_real = of_round.no_real;
  }
  const Prediction& middle = all.rounds[median_index(answer.simulated_runs_s)].answers[what_if].prediction;
  answer.prediction = to_json(middle);
  const std::vector<std::vector<double>> other_runs{
      answer.not_dilated.empty() ? answer.dilated_runs_s : std::vector<double>(),
      answer.not_virtual.empty() ? answer.virtual_runs_s : std::vector<double>()};
  answer.simulated = from_predictions(answer.simulated_runs_s, middle, other_runs);
  answer.doubts = doubts_of_predictions(answer.simulated_runs_s, middle, other_runs);
  said.merge(middle.diagnostics);
  if (answer.not_dilated.empty()) answer.dilated = from_runs(answer.dilated_runs_s);
  if (answer.not_virtual.empty()) answer.virtual_time = from_runs(answer.virtual_runs_s);
  if (answer.no_real.empty()) {
    answer.real = from_runs(answer.real_runs_s);
    say_if_runs_differ("real, " + answer.what_if.spec, answer.real_runs_s, said);
  }
  put_components(answer, "simulation", all, what_if, [](const RoundAnswer& of_round) {
    return std::optional(mean_of(signed_run(1, of_round.prediction.simulated).ranks));
  });
  put_components(answer, "dilation", all, what_if, [](const RoundAnswer& a) { return a.dilated; });
  put_components(answer, "virtual clock", all, what_if,
                 [](const RoundAnswer& a) { return a.in_virtual_time; });
  put_components(answer, "reality", all, what_if, [](const RoundAnswer& a) { return a.real; });
  judge_agreement(answer);
  return answer;
}

nlohmann::json to_json(const Estimate& estimate) {
  return {{"s", estimate.value_s}, {"low", estimate.low_s}, {"high", estimate.high_s}};
}

nlohmann::json to_json(const WhatIfAnswer& a) {
  const auto relative = [&](const Estimate& e) {
    return a.real ? nlohmann::json(e.value_s / a.real->value_s - 1) : nlohmann::json();
  };
  nlohmann::json json = {{"spec", a.what_if.spec},
                         {"simulated", to_json(a.simulated)},
                         {"simulated_runs_s", a.simulated_runs_s},
                         {"doubts", to_json(a.doubts)},
                         {"simulated_error", relative(a.simulated)},
                         {"dilated", a.dilated ? to_json(*a.dilated) : nlohmann::json()},
                         {"dilated_error", a.dilated ? relative(*a.dilated) : nlohmann::json()},
                         {"dilated_runs_s", a.dilated_runs_s},
                         {"virtual", a.virtual_time ? to_json(*a.virtual_time) : nlohmann::json()},
                         {"virtual_error", a.virtual_time ? relative(*a.virtual_time) : nlohmann::json()},
                         {"virtual_runs_s", a.virtual_runs_s},
                         {"real", a.real ? to_json(*a.real) : nlohmann::json()},
                         {"real_runs_s", a.real_runs_s},
                         {"agree", a.agree},
                         {"disagreement", a.disagreement},
                         {"components", nlohmann::json::object()},
                         {"prediction", a.prediction}};
  for (const auto& [name, components] : a.components) json["components"][name] = ww::to_json(components);
  if (!a.dilated) json["not_dilated"] = a.not_dilated;
  if (!a.virtual_time) json["not_virtual"] = a.not_virtual;
  if (!a.real) json["no_real"] = a.no_real;
  return json;
}

// Everything was made in one directory and is to be found in another: as paths in JSON, with nothing quoted
// that JSON would escape.
void rename_paths(nlohmann::json& json, const std::string& from, const std::string& to) {
  if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  } else if (json.is_structured()) {
    for (nlohmann::json& part : json) rename_paths(part, from, to);
  }
}

void withhold_verdict(nlohmann::json& dilation, const std::string& why) {
  if (!dilation.is_object() || !dilation.contains("verdict") || !dilation["verdict"].is_string()) return;
  dilation["verdict_withheld"] =
      fmt::format("{} ({} by these runs alone)", why, dilation["verdict"].get<std::string>());
  dilation["verdict"] = nullptr;
}

}  // namespace

Result<Study> study(const std::vector<std::string>& launch_line, const StudyOptions& given) {
  StudyOptions options = given;
  WW_TRY(const Launch launch, understand(launch_line));
  std::vector<WhatIf> what_ifs;
  const std::vector<std::string> usual{"bandwidth=x10", "latency=x0.1"};
  for (const std::string& spec : options.what_ifs.empty() ? usual : options.what_ifs) {
    WW_TRY(WhatIf what_if, parse_what_if(spec));
    if (what_if.topology) WW_CHECK(check_network(*what_if.topology));
    what_ifs.push_back(std::move(what_if));
  }
  if (options.machine) WW_CHECK(load_model(*options.machine).map([](const MachineModel&) {}));
  WW_TRY(auto directory, owned::NewResult::begin(given.directory, study_kind, given.previous));
  options.directory = directory.directory();

  WW_TRY(const Rounds all, run_rounds(launch, options, what_ifs));
  Study result;
  result.diagnostics = all.diagnostics;
  const int complete = static_cast<int>(all.rounds.size());
  if (complete < options.repeat)
    result.diagnostics.add(
        "interrupted",
        fmt::format("interrupted after {} of {} rounds, of which this study is", complete, options.repeat));
  for (const StudyRound& round : all.rounds) result.recorded_runs_s.push_back(round.recorded_s);
  say_if_runs_differ("recorded", result.recorded_runs_s, result.diagnostics);
  const std::filesystem::path& recorded = all.rounds[median_index(result.recorded_runs_s)].trace;
  WW_TRY(const Trace trace, load_trace(recorded));
  const Breakdown breakdown = break_down(trace, &all.model);
  result.diagnostics.merge(trace.diagnostics);
  result.diagnostics.merge(breakdown.diagnostics);
  if (!result.diagnostics.has("times-disturbed")) result.diagnostics.merge(all.disturbance);
  nlohmann::json assumptions = nlohmann::json::array();
  for (std::size_t w = 0; w < what_ifs.size(); ++w) {
    result.answers.push_back(answer_of(all, w, result.diagnostics));
    const WhatIfAnswer& answer = result.answers.back();
    for (const nlohmann::json& assumption : answer.prediction.at("assumptions"))
      if (std::find(assumptions.begin(), assumptions.end(), assumption) == assumptions.end())
        assumptions.push_back(assumption);
    if (const std::string why = in_words(answer.doubts, answer.simulated.value_s); !why.empty())
      assumptions.push_back(fmt::format("{}: the simulation is uncertain by {}", answer.what_if.spec, why));
  }
  nlohmann::json dilation_json;
  if (!options.factors.empty() && !interruption::requested()) {
    options.progress("dilating");
    DilateOptions how;
    how.factors = options.factors;
    how.machine = &all.model;
    how.lab = options.lab;
    how.directory = options.directory / "dilated";
    if (auto dilation = dilate(launch, how)) {
      ask_simulation(*dilation, all.model);
      dilation_json = ww::to_json(*dilation);
      result.diagnostics.merge(dilation->diagnostics);
    } else if (interruption::requested()) {
      result.diagnostics.add("interrupted", "interrupted before the speed-up curve of dilation was complete");
    } else {
      result.diagnostics.add("not-dilated", to_string(dilation.error()));
    }
  }
  // Predictions, dilation and virtual time are all made on these models, and each has said so of itself.
  result.diagnostics.take_out("model-flagged");
  std::vector<const MachineModel*> models{&all.model};
  for (const WhatIf& what_if : what_ifs)
    if (what_if.machine) models.push_back(what_if.machine.get());
  say_flags(models, result.model_flags, result.diagnostics);
  result.summary = show(breakdown, trace, show_tables(breakdown, trace, By::overview));
  result.json = {{"name", launch.name()},
                 {"launch", shell_quoted(launch.line)},
                 {"recorded_s", from_runs(result.recorded_runs_s).value_s},
                 {"recorded_runs_s", result.recorded_runs_s},
                 {"trace", recorded.string()},
                 {"report", ww::to_json(breakdown, trace)},
                 {"what_ifs", nlohmann::json::array()},
                 {"dilation", dilation_json},
                 {"machine", ww::to_json(all.model)},
                 {"timeline", timeline_json(trace, breakdown, {})},
                 {"assumptions", assumptions},
                 {"rounds", {{"complete", complete}, {"asked_for", options.repeat}}},
                 {"interrupted", interruption::requested()},
                 {"diagnostics", result.diagnostics}};
  for (const WhatIfAnswer& answer : result.answers) result.json["what_ifs"].push_back(to_json(answer));
  result.json["replayed_s"] = result.json["what_ifs"].front()["prediction"]["replayed_s"];
  if (const auto why = why_no_verdict(result.json)) {  // headline and verdict need more than these runs
    if (!interruption::requested())
      if (const auto today = virtual_today(launch, options, all, result.diagnostics))
        result.json["virtual_today"] = to_json(*today);
    withhold_verdict(result.json["dilation"], *why);
    result.json["diagnostics"] = result.diagnostics;
  }
  add_headlines(result.json);
  if (directory.directory() != directory.name())
    rename_paths(result.json, directory.directory().string() + "/", directory.name().string() + "/");
  WW_CHECK(write_file(options.directory / "study.json", json_text(result.json, 1)));
  WW_TRY(const std::string page, html_report({{"studies", nlohmann::json::array({result.json})}}));
  WW_CHECK(write_file(options.directory / "report.html", page));
  WW_TRY(result.said, directory.publish());
  return result;
}

}  // namespace ww

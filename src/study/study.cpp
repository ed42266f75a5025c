#include "study/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/breakdown.hpp"
#include "analyze/show.hpp"
#include "base/files.hpp"
#include "dilate/dilate.hpp"
#include "lab/lab.hpp"
#include "measure/measure.hpp"
#include "record/record.hpp"
#include "report/html.hpp"
#include "report/timeline_json.hpp"
#include "simulate/simulate.hpp"
#include "study/disturbance.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

constexpr double differing_runs = 0.05;  // spread of like runs above which the study says so

// Sets the lab's wire for as long as it lives, then puts it back.
class OtherWire {
 public:
  static Result<OtherWire> set(const std::string& lab, double rate_factor) {
    WW_TRY(const lab::Wire before, lab::wire_of(lab));
    WW_CHECK(lab::set_wire(lab, before.rate_bytes_per_s * rate_factor, std::nullopt));
    return OtherWire(lab, before);
  }
  OtherWire(OtherWire&& other) noexcept
      : lab_(std::exchange(other.lab_, std::nullopt)), before_(other.before_) {}
  OtherWire& operator=(OtherWire&&) = delete;
  ~OtherWire() {
    if (lab_) (void)lab::set_wire(*lab_, before_.rate_bytes_per_s, before_.delay_s);
  }

 private:
  OtherWire(std::string lab, const lab::Wire& before) : lab_(std::move(lab)), before_(before) {}
  std::optional<std::string> lab_;
  lab::Wire before_;
};

struct Runs {
  std::vector<double> elapsed_s;
  std::vector<fs::path> traces;
  // The trace whose time is the median, or next to it.
  const fs::path& median_trace() const {
    std::vector<std::size_t> order(elapsed_s.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return elapsed_s[a] < elapsed_s[b]; });
    return traces[order[(order.size() - 1) / 2]];
  }
};

Result<Runs> record_runs(const Launch& launch, const StudyOptions& options, const std::string& kind,
                         Diagnostics& said) {
  Runs runs;
  for (int i = 1; i <= options.repeat; ++i) {
    options.progress(fmt::format("{}: run {} of {}", kind, i, options.repeat));
    RecordOptions how;
    how.directory = options.directory / fmt::format("{}-{}.ww", kind, i);
    how.lab = options.lab;
    how.output_file = options.directory / fmt::format("{}-{}.out", kind, i);
    WW_TRY(const Recorded recorded, record(launch, how));
    if (recorded.exit_code != 0)
      return fail(fmt::format("the program failed with exit code {}", recorded.exit_code),
                  shell_quoted(launch.line), "what it said is in " + how.output_file.string());
    WW_TRY(const Trace trace, load_trace(recorded.directory));
    runs.elapsed_s.push_back(trace.elapsed_s());
    runs.traces.push_back(recorded.directory);
  }
  const Estimate spread = from_runs(runs.elapsed_s);
  if (spread.high_s - spread.low_s > differing_runs * spread.value_s)
    said.add("runs-differ", Severity::warning,
             fmt::format("like runs ({}) took {:.3g} to {:.3g} s: the machine or the program is not steady; "
                         "close other programs, give each rank its core, repeat more often",
                         kind, spread.low_s, spread.high_s));
  return runs;
}

Result<MachineModel> machine_model(const Launch& launch, const StudyOptions& options) {
  if (options.machine) return load_model(*options.machine);
  options.progress("measuring the machine");
  measure::Options how;
  how.prefix = launch.prefix();
  how.output = options.directory / "machine.json";
  if (options.lab) WW_CHECK(measure::place_on_lab(how, *options.lab));
  return measure::measure(how);
}

void dilate_answer(const Launch& launch, const StudyOptions& options, const MachineModel& model,
                   const Prediction& prediction, WhatIfAnswer& answer, Diagnostics& said) {
  if (options.factors.empty()) {
    answer.not_dilated = "not asked for";
    return;
  }
  options.progress("dilating for " + answer.what_if.spec);
  DilateOptions how;
  how.what_if = answer.what_if;
  how.machine = &model;
  how.extra_software_s = prediction.calibrated_software_s;
  how.factors = {least_factor(answer.what_if)};
  how.repeat = options.repeat;
  how.lab = options.lab;
  how.directory = options.directory / ("dilated-" + answer.what_if.spec);
  const auto dilation = dilate(launch, how);
  if (!dilation) {
    answer.not_dilated = to_string(dilation.error());
    return;
  }
  for (const DilatedRun& run : dilation->runs) answer.dilated_runs_s.push_back(run.normalised_s);
  answer.dilated = from_runs(answer.dilated_runs_s);
  said.merge(dilation->diagnostics);
}

Result<void> look_at_reality(const Launch& launch, const StudyOptions& options, WhatIfAnswer& answer,
                             Diagnostics& said) {
  const WhatIf& w = answer.what_if;
  if (!options.lab) {
    answer.no_real = "this network cannot be set; in a lab it can (--lab)";
    return {};
  }
  if (w.latency != 1 || w.latency_s || w.software != 1 || w.compute != 1) {
    answer.no_real = "a lab can change the rate of its wire only";
    return {};
  }
  WW_TRY(const OtherWire other, OtherWire::set(*options.lab, w.bandwidth));
  WW_TRY(const Runs runs, record_runs(launch, options, "real-" + w.spec, said));
  answer.real_runs_s = runs.elapsed_s;
  answer.real = from_runs(runs.elapsed_s);
  return {};
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
                         {"simulated_error", relative(a.simulated)},
                         {"dilated", a.dilated ? to_json(*a.dilated) : nlohmann::json()},
                         {"dilated_error", a.dilated ? relative(*a.dilated) : nlohmann::json()},
                         {"dilated_runs_s", a.dilated_runs_s},
                         {"real", a.real ? to_json(*a.real) : nlohmann::json()},
                         {"real_runs_s", a.real_runs_s},
                         {"agree", a.agree},
                         {"disagreement", a.disagreement},
                         {"prediction", a.prediction}};
  if (!a.dilated) json["not_dilated"] = a.not_dilated;
  if (!a.real) json["no_real"] = a.no_real;
  return json;
}

Result<void> prepare(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory) && !fs::is_directory(directory))
    return fail("cannot write the study to " + directory.string(), "it is a file",
                "choose another name with -o");
  if (fs::is_directory(directory) && !fs::is_empty(directory) && !fs::exists(directory / "study.json") &&
      !fs::exists(directory / ".study"))
    return fail("cannot write the study to " + directory.string(), "it holds other files",
                "choose another name with -o");
  fs::remove_all(directory, error);
  fs::create_directories(directory, error);
  if (error) return fail("cannot make " + directory.string(), error.message());
  return write_file(directory / ".study", "");  // marks the folder as ours until study.json is there
}

}  // namespace

Result<Study> study(const std::vector<std::string>& launch_line, const StudyOptions& given) {
  StudyOptions options = given;
  options.directory = fs::absolute(given.directory).lexically_normal();
  WW_TRY(const Launch launch, understand(launch_line));
  std::vector<WhatIf> what_ifs;
  const std::vector<std::string> usual{"bandwidth=x10", "latency=x0.1"};
  for (const std::string& spec : options.what_ifs.empty() ? usual : options.what_ifs) {
    WW_TRY(WhatIf what_if, parse_what_if(spec));
    what_ifs.push_back(std::move(what_if));
  }
  if (options.machine) WW_CHECK(load_model(*options.machine).map([](const MachineModel&) {}));
  WW_CHECK(prepare(options.directory));

  Study result;
  WW_TRY(const Runs recorded, record_runs(launch, options, "recorded", result.diagnostics));
  result.recorded_runs_s = recorded.elapsed_s;
  WW_TRY(const MachineModel model, machine_model(launch, options));
  WW_TRY(const Trace trace, load_trace(recorded.median_trace()));
  const Breakdown breakdown = break_down(trace, &model);
  result.diagnostics.merge(trace.diagnostics);
  result.diagnostics.merge(breakdown.diagnostics);
  result.diagnostics.merge(find_disturbance(trace));

  nlohmann::json assumptions = nlohmann::json::array();
  for (const WhatIf& what_if : what_ifs) {
    WhatIfAnswer answer;
    answer.what_if = what_if;
    options.progress("simulating " + what_if.spec);
    WW_TRY(const Prediction prediction, predict(trace, model, what_if));
    answer.prediction = to_json(prediction);
    answer.simulated = {prediction.predicted_s, prediction.predicted_low_s, prediction.predicted_high_s};
    for (const std::string& assumption : prediction.assumptions)
      if (std::find(assumptions.begin(), assumptions.end(), assumption) == assumptions.end())
        assumptions.push_back(assumption);
    result.diagnostics.merge(prediction.diagnostics);
    dilate_answer(launch, options, model, prediction, answer, result.diagnostics);
    result.answers.push_back(std::move(answer));
  }
  nlohmann::json dilation_json;
  if (!options.factors.empty()) {
    options.progress("dilating");
    DilateOptions how;
    how.factors = options.factors;
    how.machine = &model;
    how.lab = options.lab;
    how.directory = options.directory / "dilated";
    if (const auto dilation = dilate(launch, how))
      dilation_json = ww::to_json(*dilation);
    else
      result.diagnostics.add("not-dilated", Severity::warning, to_string(dilation.error()));
  }
  // Reality last: every prediction above was made without it.
  for (WhatIfAnswer& answer : result.answers) {
    WW_CHECK(look_at_reality(launch, options, answer, result.diagnostics));
    judge_agreement(answer);
  }

  result.summary = show(breakdown, trace, By::overview);
  result.json = {{"name", launch.name()},
                 {"launch", shell_quoted(launch.line)},
                 {"recorded_s", from_runs(recorded.elapsed_s).value_s},
                 {"recorded_runs_s", recorded.elapsed_s},
                 {"trace", recorded.median_trace().string()},
                 {"report", ww::to_json(breakdown, trace)},
                 {"what_ifs", nlohmann::json::array()},
                 {"dilation", dilation_json},
                 {"machine", ww::to_json(model)},
                 {"timeline", timeline_json(trace, breakdown, {})},
                 {"assumptions", assumptions},
                 {"diagnostics", result.diagnostics}};
  for (const WhatIfAnswer& answer : result.answers) result.json["what_ifs"].push_back(to_json(answer));
  WW_CHECK(write_file(options.directory / "study.json", result.json.dump(1)));
  WW_TRY(const std::string page, html_report({{"studies", nlohmann::json::array({result.json})}}));
  WW_CHECK(write_file(options.directory / "report.html", page));
  fs::remove(options.directory / ".study");
  return result;
}

}  // namespace ww

#include "cli/simulate_schedule.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "render/diagnostics.hpp"
#include "render/prediction.hpp"
#include "render/schedule_text.hpp"
#include "simulate/monte_carlo.hpp"
#include "simulate/schedule/file.hpp"
#include "simulate/schedule/goal.hpp"

namespace ww::cli {

std::optional<std::filesystem::path> schedule_of(const std::filesystem::path& trace) {
  std::error_code ignored;
  if (std::filesystem::is_directory(trace, ignored)) {
    const auto inside = trace / schedule_name;
    if (std::filesystem::exists(inside, ignored) && !std::filesystem::exists(trace / "traces.otf2", ignored))
      return inside;
    return std::nullopt;
  }
  if (!std::filesystem::is_regular_file(trace, ignored)) return std::nullopt;
  if (trace.extension() == ".goal" || trace.extension() == ".wws" || schedule::is_schedule(trace))
    return trace;
  return std::nullopt;
}

Result<simulate::Lowered> load_schedule(const std::filesystem::path& file) {
  simulate::Lowered out;
  if (!schedule::is_schedule(file) && file.extension() != ".wws") {
    WW_TRY(out.schedule, schedule::read_goal(file));
    return out;
  }
  WW_TRY(schedule::Stored stored, schedule::map(file));
  WW_CHECK(schedule::check(stored.schedule));
  out.schedule = std::move(stored.schedule);
  if (stored.about.is_object() && stored.about.contains("assumptions"))
    for (const nlohmann::json& one : stored.about["assumptions"])
      if (one.is_string()) out.assumptions.push_back(printable(one.get<std::string>()));
  return out;
}

Result<int> simulate_by_loggops(const LogGopsRun& run, const MachineModel& machine,
                                const std::vector<WhatIf>& what_ifs, const LogGopsOptions& options) {
  const schedule::Schedule& program = run.program.schedule;
  std::vector<schedule::SchedulePrediction> predictions;
  std::vector<simulate::MonteCarlo> spreads;
  for (const WhatIf& what_if : what_ifs) {
    WW_TRY(schedule::SchedulePrediction prediction,
           schedule::predict_schedule(program, machine, what_if, options.of));
    prediction.load_s = run.load_s;
    const auto& more = run.program.assumptions;
    prediction.assumptions.insert(prediction.assumptions.end(), more.begin(), more.end());
    if (options.draws > 0) {
      WW_TRY(const simulate::MonteCarlo spread,
             simulate::monte_carlo(program, machine, what_if, options.draws, options.of.threads,
                                   options.of.listening.cancellation));
      spreads.push_back(spread);
      prediction.assumptions.push_back(
          "machines are drawn number by number, normally, so that 95% lie within each number's interval; the "
          "program itself does as scheduled or recorded");
    }
    predictions.push_back(std::move(prediction));
  }
  if (options.json) {
    const auto in_json = [&](const schedule::SchedulePrediction& p) {
      nlohmann::json one = to_json(program, p);
      if (!spreads.empty())
        one["monte_carlo"] = to_json(spreads[static_cast<std::size_t>(&p - predictions.data())]);
      if (run.recorded_s) one["recorded_s"] = *run.recorded_s;
      return one;
    };
    nlohmann::json out = in_json(predictions.front());
    if (predictions.size() > 1)
      for (const auto& p : predictions) out["what_ifs"].push_back(in_json(p));
    fmt::print("{}\n", json_text(out, 2));
    return 0;
  }
  fmt::print("{} ranks, {} operations, {} messages\n", program.ranks(), program.size(), program.messages);
  if (run.recorded_s) fmt::print("recorded       {:>9}\n", show_time(*run.recorded_s));
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    fmt::print("{}", show(program, predictions[i], options.of.free_only));
    if (!spreads.empty())
      fmt::print("over {} machines within the model's intervals: median {}, 95% from {} to {}\n",
                 spreads[i].draws, show_time(spreads[i].median_s), show_time(spreads[i].low_s),
                 show_time(spreads[i].high_s));
  }
  std::vector<SaidOf> said;
  for (const auto& p : predictions) said.push_back({p.what_if, &p.assumptions});
  fmt::print("{}{}", show_assumptions(said), show_each_on_a_line(predictions.front().diagnostics));
  return 0;
}

}  // namespace ww::cli

#include "cli/simulate_schedule.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/units.hpp"
#include "simulate/schedule/file.hpp"
#include "simulate/schedule/goal.hpp"
#include "simulate/schedule/predict.hpp"

namespace ww::cli {
namespace {

using schedule::seconds;

std::string show_ticks(schedule::Ticks ticks) {
  return show_time(seconds(ticks));
}

void show_free(const schedule::SchedulePrediction& p) {
  const schedule::Chain& chain = p.free.chain;
  fmt::print(
      "  without contention {}: {} messages one after the other; {} times L, {} times o, {} bytes of G,\n"
      "  {} of computation\n",
      show_ticks(p.free.evaluated.finish), chain.messages, chain.L, chain.o, chain.G,
      show_ticks(chain.compute));
}

void show_explained(const schedule::Schedule& program, const schedule::SchedulePrediction& p) {
  for (const auto& [by, curve, within] : p.grows.by) {
    const char* const parameter = letter_of(by);
    fmt::print("  by {} up to {}: {}{} straight piece{}\n", parameter, show_ticks(curve.to),
               curve.cut ? "more than " : "", curve.pieces.size(), curve.pieces.size() == 1 ? "" : "s");
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, curve.pieces.size()); ++i)
      fmt::print("    from {:>9}: {:>9}, {} times {}\n", show_ticks(curve.pieces[i].from),
                 show_ticks(curve.pieces[i].finish), curve.pieces[i].slope, parameter);
    if (curve.pieces.size() > most) fmt::print("    and {} more (--json)\n", curve.pieces.size() - most);
  }
  if (p.grows.joint) fmt::print("{}", schedule::show(*p.grows.joint, scale_of(p)));
  for (const auto& [by, curve, within] : p.grows.by)
    for (const auto& [percent, most] : within)
      fmt::print("  {} may grow from {} to {} before the program slows by {}%\n", letter_of(by),
                 show_ticks(parameters_of(p.machine)[by]),
                 most < 0 ? "over a thousand times that" : show_ticks(most), percent);
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, p.free.blame.messages.size()); ++i) {
    const auto& message = p.free.blame.messages[i];
    const schedule::Op& send = program.ops[message.number];
    fmt::print("  {}: {} from rank {} to {}, {} on the way\n", i == 0 ? "on the longest chain" : "  and",
               show_bytes(static_cast<double>(send.amount)), program.ops[send.partner].peer, send.peer,
               show_ticks(message.time));
  }
}

void show(const schedule::Schedule& program, const schedule::SchedulePrediction& p, bool free) {
  fmt::print("{}\n", p.what_if.empty() ? "on the machine as it is" : p.what_if);
  if (free)
    fmt::print("  predicted    {:>9}   nothing in anything's way\n", show_time(p.predicted_s));
  else
    fmt::print("  predicted    {:>9}   {} to {} over the rules of arbitration\n", show_time(p.predicted_s),
               show_time(p.low_s), show_time(p.high_s));
  show_free(p);
  show_explained(program, p);
}

}  // namespace

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

Result<schedule::Schedule> load_schedule(const std::filesystem::path& file) {
  if (!schedule::is_schedule(file) && file.extension() != ".wws") return schedule::read_goal(file);
  WW_TRY(schedule::Stored stored, schedule::map(file));
  WW_CHECK(schedule::check(stored.schedule));
  return std::move(stored.schedule);
}

Result<int> simulate_by_loggops(const LogGopsRun& run, const MachineModel& machine,
                                const std::vector<WhatIf>& what_ifs, const LogGopsOptions& options) {
  const schedule::Schedule& program = run.program.schedule;
  const bool free = options.evaluator == Evaluator::free;
  std::vector<schedule::SchedulePrediction> predictions;
  for (const WhatIf& what_if : what_ifs) {
    WW_TRY(schedule::SchedulePrediction prediction,
           schedule::predict(program, machine, what_if,
                             {.explain = options.explain, .free_only = free, .threads = options.threads}));
    prediction.load_s = run.load_s;
    const auto& more = run.program.assumptions;
    prediction.assumptions.insert(prediction.assumptions.end(), more.begin(), more.end());
    predictions.push_back(std::move(prediction));
  }
  if (options.json) {
    const auto in_json = [&](const schedule::SchedulePrediction& p) {
      nlohmann::json one = to_json(program, p);
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
  for (const auto& p : predictions) show(program, p, free);
  fmt::print("assuming:\n");
  for (const std::string& assumption : predictions.front().assumptions) fmt::print("  {}\n", assumption);
  return 0;
}

}  // namespace ww::cli

// `whatwire simulate` under LogGOPS: of a schedule (GOAL text, or what `whatwire import` made of it), or of a
// recorded program as one.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/what_if.hpp"
#include "simulate/graph.hpp"
#include "simulate/schedule/predict_schedule.hpp"

namespace ww::cli {

inline constexpr const char* schedule_name = "program.wws";  // in a trace directory

// The schedule that TRACE means, or nothing where it is a trace.
std::optional<std::filesystem::path> schedule_of(const std::filesystem::path& trace);
// With what its import assumed.
Result<simulate::Lowered> load_schedule(const std::filesystem::path& file);

struct LogGopsRun {
  simulate::Lowered program;
  double load_s = 0;
  std::optional<double> recorded_s;
};
struct LogGopsOptions {
  schedule::ScheduleOptions of;
  bool json = false;
  std::uint64_t draws = 0;  // of --monte-carlo; by free only
};
Result<int> simulate_by_loggops(const LogGopsRun& run, const MachineModel& machine,
                                const std::vector<WhatIf>& what_ifs, const LogGopsOptions& options);

}  // namespace ww::cli

// `whatwire simulate` of a schedule: GOAL text, or what `whatwire import` made of it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/model.hpp"

namespace ww::cli {

inline constexpr const char* schedule_name = "program.wws";  // in a trace directory

// The schedule that TRACE means, or nothing where it is a trace.
std::optional<std::filesystem::path> schedule_of(const std::filesystem::path& trace);
Result<int> simulate_schedule(const std::filesystem::path& file, const MachineModel& machine,
                              const std::vector<std::string>& what_ifs, bool explain, bool json,
                              unsigned threads);

}  // namespace ww::cli

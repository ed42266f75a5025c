// GOAL, the text of LogGOPSim's schedules (Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language",
// ICPP 2009, and the grammar that LogGOPSim's own compiler reads):
//
//   num_ranks 2
//   rank 0 {
//     l1: calc 1000            nanoseconds
//     l2: send 8b to 1 tag 5   [cpu C] [nic N]
//     l2 requires l1           irequires: waits for the start only
//   }
#pragma once
#include <filesystem>
#include <string_view>

#include "simulate/schedule/schedule.hpp"

namespace ww::schedule {

// Ranks may be missing (they do nothing) but stand in order. Errors name the line.
Result<Schedule> parse_goal(std::string_view text, const std::string& name);
Result<Schedule> read_goal(const std::filesystem::path& file);

}  // namespace ww::schedule

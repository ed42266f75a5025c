// A schedule in a file that is mapped: opening it takes as long for ten operations as for a billion.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

#include "simulate/schedule/schedule.hpp"

namespace ww::schedule {

struct Stored {
  Schedule schedule;
  nlohmann::json about;  // what the writer added
};

Result<void> save(const Schedule& schedule, const nlohmann::json& about, const std::filesystem::path& file);
// Errors: unreadable, no such file, shorter than it says. What the records say is not looked at: check()
// does.
Result<Stored> map(const std::filesystem::path& file);
bool is_schedule(const std::filesystem::path& file);
// Every number in the records points at something, and the order names each operation once. Reads all of it.
Result<void> check(const Schedule& schedule);

}  // namespace ww::schedule

#include "record/remaining_tasks.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/text.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

// By what it says of itself: it has described itself, not its end, and its number is that of a process of the same program.
bool runs(const fs::path& definitions, const Library& library) {
  std::ifstream file(definitions);
  fs::path process, program;
  for (std::string line; std::getline(file, line);) {
    const auto said = nlohmann::json::parse(line, nullptr, false);
    if (!said.is_object()) continue;
    const std::string kind = said.value("def", "");
    if (kind == "end") return false;
    if (kind != "process") continue;
    process = fs::path("/proc") / std::to_string(said.value("pid", 0));
    program = said.value("program", "");
  }
  const auto servers = split_words(library.servers);
  if (std::find(servers.begin(), servers.end(), program.filename().string()) != servers.end()) return false;
  std::error_code unknown;
  return !program.empty() && fs::read_symlink(process / "exe", unknown) == program;
}

}  // namespace

bool wait_for_tasks(const fs::path& spool, const Library& library, double limit_s) {
  using Clock = std::chrono::steady_clock;
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_s));
  const auto any_runs = [&] {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(spool, none))
      if (entry.path().extension() == ".defs" && runs(entry.path(), library)) return true;
    return false;
  };
  while (any_runs()) {
    if (Clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace ww

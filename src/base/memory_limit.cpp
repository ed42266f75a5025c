#include "base/memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

namespace ww {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;  // "max" is none
  return in >> number ? std::optional(number) : std::nullopt;
}

// Of a file of lines "name number".
std::uint64_t line_of(const fs::path& file, const std::string& name) {
  std::ifstream in(file);
  std::string key;
  for (std::uint64_t value = 0; in >> key >> value;)
    if (key == name) return value;
  return 0;
}

std::uint64_t left_in(const fs::path& group, bool second_version) {
  const auto limit = number_in(group / (second_version ? "memory.max" : "memory.limit_in_bytes"));
  if (!limit) return no_limit;
  const auto used = number_in(group / (second_version ? "memory.current" : "memory.usage_in_bytes"));
  const fs::path stat = group / "memory.stat";
  const std::uint64_t cached =
      second_version ? line_of(stat, "file") : std::max(line_of(stat, "total_cache"), line_of(stat, "cache"));
  const std::uint64_t taken = std::min(used.value_or(0) - std::min(used.value_or(0), cached), *limit);
  return *limit - taken;
}

// A process in a container may see its group as the root of what is mounted, whatever it is called outside.
std::uint64_t left_in_groups(const fs::path& root) {
  std::ifstream in(root / "proc/self/cgroup");
  std::uint64_t left = no_limit;
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool second_version = line.starts_with("0::");
    if (!second_version && controllers.find(",memory,") == std::string::npos) continue;
    const fs::path mounted = root / (second_version ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
    fs::path below = fs::path(line.substr(second + 1)).relative_path();
    for (;; below = below.parent_path()) {
      left = std::min(left, left_in(mounted / below, second_version));
      if (below.empty()) break;
    }
  }
  return left;
}

std::uint64_t left_of_the_machine(const fs::path& root) {
  std::ifstream in(root / "proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("MemAvailable:")) {
      std::istringstream number(line.substr(line.find(':') + 1));
      std::uint64_t kib = 0;
      if (number >> kib) return kib << 10;
    }
  return no_limit;
}

std::uint64_t limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? no_limit : limit.rlim_cur;
}

}  // namespace

std::uint64_t memory_available_bytes(const fs::path& root) {
  return std::min({left_in_groups(root), left_of_the_machine(root), limit_of(RLIMIT_DATA)});
}

bool are_addresses_limited() {
  return limit_of(RLIMIT_AS) != no_limit;
}

}  // namespace ww

#include "trace/recording.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.hpp"
#include "trace/directory.hpp"

namespace ww {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

constexpr const char* mark_name = "recording";
constexpr const char* facts_name = "run.json";
constexpr const char* unborn_name = ".spool-new";  // until the mark is in it

struct flock whole_file() {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

std::string boot_id() {
  auto id = read_file("/proc/sys/kernel/random/boot_id").value_or("");
  return id.substr(0, id.find('\n'));
}

// When the process was started, in ticks since the boot (proc(5)): a number that is used again has another.
std::string start_of(long long pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) return "";
  std::size_t at = name_end;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text->find(' ', at + 1);
  return at == std::string::npos ? "" : text->substr(at + 1, text->find(' ', at + 1) - at - 1);
}

json parsed(const fs::path& file) {
  const auto text = read_file(file);
  json value = text ? json::parse(*text, nullptr, false) : json();
  return value.is_object() ? value : json(nullptr);
}

template <class T>
T member(const json& object, const char* name, T otherwise) {
  const auto found = object.find(name);
  if (found == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>)
    return found->is_string() ? found->template get<T>() : otherwise;
  else if constexpr (std::is_same_v<T, bool>)
    return found->is_boolean() ? found->template get<T>() : otherwise;
  else
    return found->is_number_integer() ? found->template get<T>() : otherwise;
}

}  // namespace

Result<Recording> Recording::begin(const fs::path& dir, const json& facts) {
  Recording recording(dir);
  const fs::path unborn = dir / unborn_name;
  const auto cannot = [&](const fs::path& what) {
    return fail("cannot write the spool", what.string() + ": " + std::strerror(errno), "is the disk full?");
  };
  remove_part(dir, unborn_name);
  if (mkdir(unborn.c_str(), 0777) != 0) return cannot(unborn);
  const fs::path mark = unborn / mark_name;
  recording.mark_ = open(mark.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (recording.mark_ < 0) return cannot(mark);
  struct flock whole = whole_file();
  const bool locked = fcntl(recording.mark_, F_OFD_SETLK, &whole) == 0;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::string text = json{{"host", host},
                                {"boot_id", boot_id()},
                                {"pid", getpid()},
                                {"start", start_of(getpid())},
                                {"locked", locked}}
                               .dump(-1, ' ', false, json::error_handler_t::replace) +
                           "\n";
  if (write(recording.mark_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return cannot(mark);
  WW_CHECK(write_file(unborn / facts_name, facts.dump(2) + "\n"));
  if (renameat2(AT_FDCWD, unborn.c_str(), AT_FDCWD, (dir / spool_name).c_str(), RENAME_NOREPLACE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) return cannot(dir / spool_name);
    if (std::rename(unborn.c_str(), (dir / spool_name).c_str()) != 0) return cannot(dir / spool_name);
  }
  return recording;
}

Recording::Recording(Recording&& other) noexcept
    : dir_(std::move(other.dir_)), mark_(std::exchange(other.mark_, -1)) {}

Recording::~Recording() {
  if (mark_ >= 0) close(mark_);
}

void Recording::end(const json& facts) {
  static_cast<void>(keep_facts(dir_, facts));  // on a full disk those from before the start stay
  unlink((dir_ / spool_name / mark_name).c_str());
  if (mark_ >= 0) close(mark_);
  mark_ = -1;
}

json kept_facts(const fs::path& dir) {
  return parsed(dir / spool_name / facts_name);
}

bool keep_facts(const fs::path& dir, const json& facts) {
  return write_file(dir / spool_name / facts_name, facts.dump(2) + "\n").has_value();
}

std::optional<std::string> recorder_of(const fs::path& dir) {
  const fs::path file = dir / spool_name / mark_name;
  const int mark = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (mark < 0) return std::nullopt;
  struct flock whole = whole_file();
  const bool known = fcntl(mark, F_OFD_GETLK, &whole) == 0;
  close(mark);
  const json said = parsed(file);
  const auto pid = member<std::int64_t>(said, "pid", 0);
  const std::string who = fmt::format("process {} on {}", pid, member<std::string>(said, "host", "?"));
  if (known && whole.l_type != F_UNLCK) return who;
  if (known && member(said, "locked", true)) return std::nullopt;  // it was, and its process is no more
  // A file system without locks. Of another host nobody knows: what could still grow is left alone.
  if (member<std::string>(said, "boot_id", "") != boot_id()) return who;
  const std::string start = member<std::string>(said, "start", "");
  return !start.empty() && start_of(pid) == start ? std::optional(who) : std::nullopt;
}

std::optional<std::string> rank_at_work(const std::vector<spool::RankSpool>& spools) {
  const std::string boot = boot_id();
  if (boot.empty()) return std::nullopt;
  for (const auto& rank : spools) {
    const auto& process = rank.definitions.process;
    if (!process || rank.definitions.end || process->boot_id != boot) continue;
    const auto maps = read_file(fmt::format("/proc/{}/maps", process->pid));
    if (maps && maps->find(fmt::format("/rank-{}.thread-", rank.world_rank)) != std::string::npos)
      return fmt::format("rank {}, process {}", rank.rank, process->pid);
  }
  return std::nullopt;
}

}  // namespace ww

#include "trace/unify.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.hpp"
#include "base/parallel.hpp"
#include "trace/from_spool.hpp"
#include "trace/spool.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// One unify a directory at a time, also against other processes.
class DirectoryLock {
 public:
  explicit DirectoryLock(const fs::path& dir) : file_(open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (file_ >= 0 && flock(file_, LOCK_EX) != 0 && errno == EINTR) continue;
  }
  ~DirectoryLock() {
    if (file_ >= 0) close(file_);
  }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int file_;
};

// What an attempt left behind that was interrupted before its anchor.
void remove_leftovers(const fs::path& dir) {
  std::error_code ignored;
  std::vector<fs::path> old = {dir / "traces", dir / "traces.def"};
  for (fs::directory_iterator entry(dir, ignored), last; !ignored && entry != last; entry.increment(ignored))
    if (entry->path().filename().string().starts_with(".unify-")) old.push_back(entry->path());
  for (const fs::path& path : old) fs::remove_all(path, ignored);
}

// The spool is deleted afterwards: the archive must be on the disk and not only on its way there.
Result<void> to_disk(const fs::path& dir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(dir, error), last; !error && entry != last;
       entry.increment(error))
    files.push_back(entry->path());
  if (error) return fail("cannot write the archive", dir.string() + ": " + error.message());
  return in_parallel(files.size(), processors(), [&](std::size_t i) -> Result<void> {
    const int file = open(files[i].c_str(), O_RDONLY | O_CLOEXEC);
    const bool good = file >= 0 && fsync(file) == 0;
    const std::string why = std::strerror(errno);
    if (file >= 0) close(file);
    if (!good) return fail("cannot write the archive", files[i].string() + ": " + why, "is the disk full?");
    return {};
  });
}

Result<void> move_into_place(const fs::path& from, const fs::path& dir) {
  // The anchor last: with it the archive is complete.
  for (const char* name : {"traces", "traces.def", "run.json", anchor_name}) {
    std::error_code error;
    fs::rename(from / name, dir / name, error);
    if (error) return fail("cannot put the archive in place", (dir / name).string() + ": " + error.message());
  }
  return {};
}

// This process' share of the work; what a member gives says nothing.
Result<json> take_part(const fs::path& dir, const fs::path& own, Team& team, const Crew& crew,
                       Diagnostics& diagnostics) {
  Diagnostics of_mine;
  const spool::SpoolShare share{[&](std::size_t s) { return team.mine(s); },
                                team.leads() ? nullptr : &of_mine};
  WW_TRY(const auto spools, spool::read_spools(dir / "spool", diagnostics, &share));
  const std::size_t threads = std::max<std::size_t>(1, processors() / crew.on_this_host);
  return spool::write_archive(spools, own, {threads, &team, &of_mine}, diagnostics);
}

Result<Diagnostics> unify_into(const fs::path& partial, const fs::path& dir, json run, const Crew& crew) {
  Diagnostics diagnostics;
  WW_TRY(const auto team, Team::lead(dir, partial, crew));
  WW_TRY(const json facts, take_part(dir, partial, *team, crew, diagnostics));
  std::error_code ignored;
  if (!team->alone())
    for (std::size_t k = 0; k < team->size(); ++k) fs::remove_all(team->place_of(k), ignored);
  for (const auto& [key, value] : facts.items())
    if (!run.contains(key)) run[key] = value;
  if (run.contains("diagnostics")) {
    try {
      diagnostics.merge(run["diagnostics"].get<Diagnostics>());
    } catch (const json::exception&) {
      return fail("run.json has diagnostics of another form", (dir / "run.json").string(), "remove it");
    }
  }
  run["diagnostics"] = diagnostics;
  WW_CHECK(write_file(partial / "run.json", run.dump(2) + "\n"));
  WW_CHECK(to_disk(partial));
  return diagnostics;
}

json parse_run(const fs::path& file) {
  const auto text = read_file(file);
  json run = text ? json::parse(*text, nullptr, false) : json();
  return run.is_object() ? run : json(nullptr);
}

// What a process other than the leader does.
Result<Diagnostics> help(const fs::path& dir, const Crew& crew) {
  WW_TRY(const auto team, Team::join(dir, crew, Team::unify_meeting, [&] {
           std::error_code ignored;
           return fs::exists(dir / "spool", ignored);  // else unified meanwhile, or never recorded
         }));
  Diagnostics own;
  WW_TRY([[maybe_unused]] const json nothing, take_part(dir, team->place_of(crew.number), *team, crew, own));
  WW_CHECK(team->until_the_end());
  std::error_code ignored;
  if (!fs::exists(dir / anchor_name, ignored))
    return fail("the archive was not completed", dir.string(), "see what process 0 says");
  return Diagnostics();
}

// A rank on this host still has its spool mapped: the spool is not ours yet.
bool is_being_recorded(const std::vector<spool::RankSpool>& spools) {
  auto boot_id = read_file("/proc/sys/kernel/random/boot_id");
  if (!boot_id) return false;
  boot_id->resize(std::min(boot_id->find('\n'), boot_id->size()));
  for (const auto& rank : spools) {
    const auto& process = rank.definitions.process;
    if (!process || rank.definitions.end || process->boot_id != *boot_id) continue;
    const auto maps = read_file(fmt::format("/proc/{}/maps", process->pid));
    if (maps && maps->find(fmt::format("/rank-{}.thread-", rank.rank)) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

json read_run(const fs::path& dir) {
  const auto text = read_file(dir / "run.json");
  if (!text) return nullptr;
  json run = json::parse(*text, nullptr, false);
  return run.is_object() ? run : json(nullptr);
}

Result<Diagnostics> unify(const fs::path& dir, json run) {
  return unify(dir, std::move(run), Crew());
}

Result<Diagnostics> unify(const fs::path& dir, json run, const Crew& crew) {
  if (crew.number > 0) return help(dir, crew);
  const DirectoryLock lock(dir);
  // What the recorder says of the run is kept beside the spool until the archive is complete, so that an
  // attempt after an interrupted one begins with the same and not with what that one had added.
  const fs::path kept = dir / "spool" / "run.json";
  std::error_code error;
  if (fs::exists(kept, error)) run = parse_run(kept);
  if (!run.is_object()) run = json::object();
  if (fs::is_directory(dir / "spool", error)) WW_CHECK(write_file(kept, run.dump(2) + "\n"));
  remove_leftovers(dir);
  const fs::path partial = dir / fmt::format(".unify-{}", getpid());
  fs::create_directories(partial, error);
  if (error) return fail("cannot write the archive", partial.string() + ": " + error.message());
  auto unified = unify_into(partial, dir, std::move(run), crew);
  if (unified) {
    fs::remove(dir / anchor_name, error);
    if (const auto moved = move_into_place(partial, dir); !moved) unified = tl::unexpected(moved.error());
  }
  fs::remove_all(partial, error);
  if (unified) fs::remove_all(dir / "spool", error);
  return unified;
}

bool is_unified(const fs::path& dir) {
  std::error_code ignored;
  return fs::exists(dir / anchor_name, ignored) && !fs::exists(dir / "spool", ignored);
}

Result<Diagnostics> unify_recorded(const fs::path& dir, const Crew& crew) {
  Diagnostics unheeded;
  const spool::SpoolShare definitions_only{[](std::size_t) { return false; }, nullptr};
  WW_TRY(const auto spools, spool::read_spools(dir / "spool", unheeded, &definitions_only));
  if (is_being_recorded(spools))
    return fail("the program is still being recorded", dir.string(), "wait for its end");
  return unify(dir, read_run(dir), crew);
}

}  // namespace ww

#include "trace/directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/owned.hpp"
#include "base/parallel.hpp"
#include "trace/archive_entries.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

bool is_there(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

// Of the file systems that have no locks of directories (NFS), which lock files only.
constexpr const char* lock_name = ".lock";

std::vector<std::string> entries_beginning_with(const fs::path& dir, const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator entry(dir, ignored), last; !ignored && entry != last; entry.increment(ignored))
    if (std::string name = entry->path().filename().string(); name.starts_with(prefix))
      names.push_back(std::move(name));
  return names;
}

Result<void> sync_one(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool good = file >= 0 && fsync(file) == 0;
  const std::string why = std::strerror(errno);
  if (file >= 0) close(file);
  if (!good) return fail("cannot write the archive", path.string() + ": " + why, "is the disk full?");
  return {};
}

constexpr const char* before_anchor[] = {"traces", "traces.def", "run.json"};

// The spool goes afterwards: the archive must be on the disk and not only on its way there.
Result<void> to_disk(const DirectoryLock& lock, const fs::path& attempt) {
  std::vector<fs::path> files{attempt / anchor_name};
  for (const char* name : before_anchor) files.push_back(attempt / name);
  std::error_code error;
  for (fs::directory_iterator entry(attempt / "traces", error), last; !error && entry != last;
       entry.increment(error))
    files.push_back(entry->path());
  if (error) return fail("cannot write the archive", attempt.string() + ": " + error.message());
  // Each file is one wait for the disk, the whole file system one for all of them.
  constexpr std::size_t many = 64;
  if (files.size() > many) {
    if (syncfs(lock.directory()) == 0) return {};  // opened before: it is told of all errors since
    return fail("cannot write the archive", attempt.string() + ": " + std::strerror(errno),
                "is the disk full?");
  }
  return in_parallel(files.size(), processors(), [&](std::size_t i) { return sync_one(files[i]); });
}

// Also where an attempt that was ended before its anchor has left an entry of that name, which then stands in
// the attempt's place. Never is there a moment without either.
bool put(int dir, const std::string& attempt, const char* name) {
  const std::string from = attempt + "/" + name;
  if (renameat2(dir, from.c_str(), dir, name, RENAME_EXCHANGE) == 0) return true;
  if (errno == ENOENT) return renameat(dir, from.c_str(), dir, name) == 0;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else no exchange on this file system
  if (renameat(dir, from.c_str(), dir, name) == 0) return true;
  const std::string aside = from + ".before";  // a directory that is not empty
  return renameat(dir, name, dir, aside.c_str()) == 0 && renameat(dir, from.c_str(), dir, name) == 0;
}

}  // namespace

bool is_unified(const fs::path& dir) {
  return is_there(dir / anchor_name);
}

bool has_spool(const fs::path& dir) {
  return is_there(dir / spool_name);
}

bool awaits_unify(const fs::path& dir) {
  return !is_unified(dir) && has_spool(dir);
}

fs::path anchor_of(const fs::path& trace) {
  std::error_code ignored;
  return fs::is_directory(trace, ignored) ? trace / anchor_name : trace;
}

DirectoryLock::DirectoryLock(const fs::path& dir, Wait wait)
    : directory_(open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (directory_ < 0) return;
  const bool waits = wait == Wait::yes;
  int code = 0;
  while ((code = flock(directory_, LOCK_EX | (waits ? 0 : LOCK_NB))) != 0 && errno == EINTR) continue;
  held_ = code == 0;
  if (held_ || errno == EWOULDBLOCK) return;
  // Without any lock two that unify at once still do no harm: they put the same archive into place (put()).
  file_ = openat(directory_, lock_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  while (file_ >= 0 && (code = fcntl(file_, waits ? F_OFD_SETLKW : F_OFD_SETLK, &whole)) != 0 &&
         errno == EINTR)
    continue;
  held_ = file_ < 0 || code == 0 || (errno != EAGAIN && errno != EACCES);
}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) close(file_);
  if (directory_ >= 0) close(directory_);
}

fs::path DirectoryLock::path() const {
  return fmt::format("/proc/self/fd/{}", directory_);
}

std::string DirectoryLock::as_named(std::string text, const fs::path& name) const {
  const std::string own = path().string();
  for (std::size_t at = 0; (at = text.find(own, at)) != std::string::npos; at += name.string().size())
    text.replace(at, own.size(), name.string());
  return text;
}

void remove_part(const fs::path& dir, const std::string& name) {
  // What cannot be removed is in nobody's way: the next that unifies tries again.
  static_cast<void>(owned::remove_within(dir, trace_kind, name, owned::Marker::unmarked_too));
}

void remove_leftovers(const fs::path& dir) {
  for (const std::string& name : entries_beginning_with(dir, attempt_prefix)) remove_part(dir, name);
  if (!is_unified(dir)) return;
  if (has_spool(dir)) {
    remove_part(dir, done_name);
    if (std::rename((dir / spool_name).c_str(), (dir / done_name).c_str()) != 0) return;
  }
  if (is_there(dir / done_name)) remove_part(dir, done_name);
}

void remove_leftovers_of_archive(const fs::path& dir) {
  if (!has_spool(dir) && !is_there(dir / done_name) && entries_beginning_with(dir, attempt_prefix).empty())
    return;
  const DirectoryLock lock(dir, DirectoryLock::Wait::no);
  if (lock.directory() >= 0 && lock.held() && is_unified(lock.path())) remove_leftovers(lock.path());
}

Result<void> publish(const DirectoryLock& lock, const std::string& attempt) {
  const fs::path dir = lock.path();
  WW_CHECK(to_disk(lock, lock.path() / attempt));
  for (const char* name : before_anchor)
    if (!put(lock.directory(), attempt, name))
      return fail("cannot put the archive in place", (dir / name).string() + ": " + std::strerror(errno));
  fsync(lock.directory());  // parts before the anchor, also after a power cut
  const std::string anchor = attempt + "/" + anchor_name;
  if (renameat(lock.directory(), anchor.c_str(), lock.directory(), anchor_name) != 0)
    return fail("cannot put the archive in place",
                (dir / anchor_name).string() + ": " + std::strerror(errno));
  fsync(lock.directory());
  return {};
}

Result<void> check_permission(const fs::path& dir) {
  const auto denied = [](const fs::path& path) {
    return fail("no permission to read the trace", path.string(),
                "ask its owner, or root, to let you read it (chmod -R a+rX)");
  };
  const auto refused = [](const fs::path& path, int how) {
    return faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) != 0 && errno == EACCES;
  };
  if (refused(dir, R_OK | X_OK)) return denied(dir);
  std::error_code error;
  for (fs::recursive_directory_iterator entry(dir, error), last; !error && entry != last;
       entry.increment(error)) {
    std::error_code ignored;
    const bool directory = entry->is_directory(ignored) && !entry->is_symlink(ignored);
    if (refused(entry->path(), directory ? R_OK | X_OK : R_OK)) return denied(entry->path());
  }
  return {};
}

bool operator==(const ArchiveIdentity& a, const ArchiveIdentity& b) {
  return a.device == b.device && a.directory == b.directory && a.anchor == b.anchor &&
         a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec;
}

ArchiveIdentity identity_of(const fs::path& dir) {
  struct stat directory {
  }, anchor{};
  if (stat(dir.c_str(), &directory) != 0) return {};
  if (stat((dir / anchor_name).c_str(), &anchor) != 0) anchor = {};
  return {directory.st_dev, directory.st_ino, anchor.st_ino, anchor.st_mtim};
}

}  // namespace ww

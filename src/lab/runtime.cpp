#include "lab/runtime.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

constexpr const char* remedy =
    "set XDG_RUNTIME_DIR to a directory of yours that others cannot enter (mode 0700)";

struct Opened {
  int fd = -1;
  int problem = 0;
  struct stat info = {};
  Opened(int at, const char* name) : fd(openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
    if (fd < 0 || fstat(fd, &info) != 0) problem = errno;
  }
  ~Opened() {
    if (fd >= 0) close(fd);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
};

// Nobody else can put another directory in the place of one that we have in it.
bool keeps_entries(const struct stat& directory) {
  const bool trusted = directory.st_uid == 0 || directory.st_uid == geteuid();
  return trusted && ((directory.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (directory.st_mode & S_ISVTX) != 0);
}

// As systemd makes it and the XDG specification wants it; of another user, whose session we came from by su,
// it is none.
std::optional<fs::path> trusted(const char* given) {
  if (given == nullptr || given[0] != '/') return std::nullopt;
  const Opened directory(AT_FDCWD, given);
  if (directory.problem != 0 || directory.info.st_uid != geteuid() || (directory.info.st_mode & 077) != 0)
    return std::nullopt;
  return fs::path(given);
}

struct Place {
  fs::path parent;
  std::string name;
  fs::path path() const { return parent / name; }
};

Place lasting_place() {
  if (geteuid() == 0) return {"/run", "whatwire"};
  return {"/tmp", fmt::format("whatwire-{}", geteuid())};
}

Place place_of_new_labs() {
  if (const auto session = trusted(std::getenv("XDG_RUNTIME_DIR"))) return {*session, "whatwire"};
  return lasting_place();
}

// Of a session that has its XDG_RUNTIME_DIR, and of one without.
std::vector<Place> other_places() {
  std::vector<Place> all;
  if (const auto session = trusted(fmt::format("/run/user/{}", geteuid()).c_str()))
    all.push_back({*session, "whatwire"});
  all.push_back(lasting_place());
  return all;
}

bool is_there(const fs::path& path) {
  struct stat info = {};
  return lstat(path.c_str(), &info) == 0;
}

std::string why_not(const Opened& directory) {
  if (directory.problem == ELOOP || directory.problem == ENOTDIR)
    return "it is no directory but a link or a file";
  if (directory.problem != 0) return std::strerror(directory.problem);
  if (directory.info.st_uid != geteuid()) return fmt::format("it belongs to user {}", directory.info.st_uid);
  if ((directory.info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write in it";
  return {};
}

}  // namespace

Result<void> claim_directory(const fs::path& parent, const std::string& name) {
  const fs::path path = parent / name;
  const Opened above(AT_FDCWD, parent.c_str());
  if (above.problem != 0)
    return fail("cannot open the directory of labs", parent.string() + ": " + std::strerror(above.problem),
                remedy);
  if (!keeps_entries(above.info))
    return fail("the directory of labs would not be safe",
                parent.string() + ": other users may change what is in it", remedy);
  if (mkdirat(above.fd, name.c_str(), 0700) != 0 && errno != EEXIST)
    return fail("cannot make the directory of labs", path.string() + ": " + std::strerror(errno), remedy);
  const Opened directory(above.fd, name.c_str());
  const std::string problem = why_not(directory);
  if (!problem.empty())
    return fail("the directory of labs is not used", path.string() + ": " + problem, remedy);
  // Earlier versions let others look.
  if ((directory.info.st_mode & 077) != 0 && fchmod(directory.fd, 0700) != 0)
    return fail("cannot close the directory of labs to others", path.string() + ": " + std::strerror(errno),
                remedy);
  return {};
}

Result<fs::path> directory_of_labs() {
  const Place place = place_of_new_labs();
  WW_CHECK(claim_directory(place.parent, place.name));
  return place.path();
}

Result<std::vector<fs::path>> directories_of_labs() {
  const Place first = place_of_new_labs();
  std::vector<fs::path> all;
  if (is_there(first.path())) {
    WW_CHECK(claim_directory(first.parent, first.name));
    all.push_back(first.path());
  }
  for (const Place& other : other_places())
    if (other.path() != first.path() && is_there(other.path()) && claim_directory(other.parent, other.name))
      all.push_back(other.path());
  return all;
}

Result<fs::path> lab_directory(const LabName& name) {
  WW_TRY(const auto all, directories_of_labs());
  for (const fs::path& directory : all)
    if (is_there(directory / name.text())) return directory / name.text();
  return place_of_new_labs().path() / name.text();
}

}  // namespace ww::lab

#include "base/kept_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/files.hpp"
#include "base/owned.hpp"

namespace ww {
namespace fs = std::filesystem;
using owned::printable;
namespace {

constexpr int most_numbers = 1000;  // FILE.old.2 ...

// The same file under a second name, also where a file system has no hard links.
int name_also(const fs::path& file, const fs::path& other) {
  if (link(file.c_str(), other.c_str()) == 0) return 0;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) return errno;
  return renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, other.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
}

}  // namespace

bool is_stream(const fs::path& file) {
  const std::string name = file.string();
  struct stat target = {};
  if (stat(name.c_str(), &target) != 0 || S_ISDIR(target.st_mode)) return false;
  return !S_ISREG(target.st_mode) || name == "/dev/stdout" || name == "/dev/stderr" ||
         name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

Result<void> check_output_file(const fs::path& file) {
  const auto refuse = [&](const std::string& why) {
    return fail("cannot write " + printable(file.string()), why, "choose another place with -o");
  };
  struct stat itself = {}, target = {};
  const bool there = lstat(file.c_str(), &itself) == 0;
  if (!there && errno != ENOENT) return refuse(std::strerror(errno));
  const bool has_target = stat(file.c_str(), &target) == 0;
  if (has_target && S_ISDIR(target.st_mode)) return refuse("it is a directory");
  if (is_stream(file)) return {};
  if (there && S_ISLNK(itself.st_mode) && (!has_target || S_ISREG(target.st_mode))) {
    std::error_code error;
    const fs::path to = fs::read_symlink(file, error);
    return fail("cannot write " + printable(file.string()),
                "it is a symbolic link to " + printable(to.string()), "name that file itself with -o");
  }
  const fs::path directory = file.has_parent_path() ? file.parent_path() : ".";
  if (file.filename().empty()) return refuse("it is no name of a file");
  if (faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return refuse(std::strerror(errno));
  return {};
}

Result<std::vector<std::string>> keep_previous_file(const fs::path& file,
                                                    const std::function<bool(const fs::path&)>& ours) {
  struct stat status = {};
  if (lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
    return std::vector<std::string>();
  for (int number = 1; number <= most_numbers; ++number) {
    const fs::path old = file.string() + (number == 1 ? ".old" : fmt::format(".old.{}", number));
    if (lstat(old.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ours(old)) unlink(old.c_str());
    const int problem = name_also(file, old);
    if (problem == 0)
      return std::vector<std::string>{fmt::format("the previous {} is kept as {}",
                                                  printable(file.filename().string()),
                                                  printable(old.filename().string()))};
    if (problem != EEXIST) return fail("cannot keep " + printable(file.string()), std::strerror(problem));
  }
  return fail("cannot keep " + printable(file.string()), "there are too many older ones beside it",
              "remove those that you no longer need");
}

Result<void> write_stream(const fs::path& file, std::string_view content) {
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) return fail("cannot write " + printable(file.string()), std::strerror(errno));
  return {};
}

bool begin_alike(const fs::path& a, const fs::path& b) {
  const auto beginning = [](const fs::path& file) {
    std::string line(100, 0);
    std::ifstream in(file, std::ios::binary);
    in.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<std::size_t>(in.gcount()));
    return line.substr(0, line.find('\n'));
  };
  constexpr std::size_t telling = 10;
  const std::string first = beginning(a);
  return first.size() >= telling && first == beginning(b);
}

Result<std::vector<std::string>> write_output_file(const fs::path& file, std::string_view content,
                                                   const std::function<bool(const fs::path&)>& ours) {
  WW_CHECK(check_output_file(file));
  if (is_stream(file)) {
    WW_CHECK(write_stream(file, content));
    return std::vector<std::string>();
  }
  std::vector<std::string> said;
  if (!ours(file)) {
    WW_TRY(said, keep_previous_file(file, ours));
  }
  WW_CHECK(write_file(file, content));
  return said;
}

}  // namespace ww

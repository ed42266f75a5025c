#include "base/files.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/kept_file.hpp"
#include "base/unused_name.hpp"

namespace ww {
namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return fail("cannot read " + path.string(), "it is a directory");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail("cannot read " + path.string(), std::strerror(errno));
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

fs::path unused_beside(const fs::path& path) {
  std::uint64_t bits = 0;
  // Before the kernel has gathered randomness nobody runs programs like ours.
  WW_INVARIANT(getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits));
  char ending[24];
  std::snprintf(ending, sizeof ending, ".%016llx.part", static_cast<unsigned long long>(bits));
  return path.string() + ending;
}

Result<void> write_file(const fs::path& path, std::string_view content) {
  if (is_stream(path)) return write_stream(path, content);
  const fs::path beside = unused_beside(path);
  const auto give_up = [&] {
    const std::string why = std::strerror(errno);
    unlink(beside.c_str());
    return fail("cannot write " + path.string(), why);
  };
  const int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return give_up();
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int problem = errno;
      close(fd);
      errno = problem;
      return give_up();
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (close(fd) != 0 || rename(beside.c_str(), path.c_str()) != 0) return give_up();
  return {};
}

namespace {
// bin/, libexec/whatwire/ and (for tests) tests/ all hold programs of ours; the root is the first ancestor
// with lib/whatwire.
fs::path root() {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  for (fs::path at = self.parent_path(); at != at.root_path(); at = at.parent_path())
    if (fs::exists(at / "lib" / "whatwire") || fs::exists(at / "libexec" / "whatwire")) return at;
  return self.parent_path().parent_path();
}
}  // namespace

fs::path preload_library(const std::string& name) {
  return root() / "lib" / "whatwire" / name;
}
fs::path helper_program(const std::string& name) {
  return root() / "libexec" / "whatwire" / name;
}
fs::path own_program() {
  return root() / "bin" / "whatwire";
}

}  // namespace ww

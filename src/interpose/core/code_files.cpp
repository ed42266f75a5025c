#include "interpose/core/code_files.hpp"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"

namespace ww::interpose {

namespace {

constexpr int most_bytes = 1 << 16;  // of all paths; what does not fit is left out
char paths[most_bytes];
int used = 0;

bool is_of_the_system(const char* path) {
  constexpr const char* folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  for (const char* folder : folders)
    if (strncmp(path, folder, strlen(folder)) == 0) return true;
  return false;
}

bool is_known(const char* path, size_t length) {
  for (const char* at = paths; *at != 0;) {
    const char* end = strchr(at, '\n');
    if (static_cast<size_t>(end - at) == length && strncmp(at, path, length) == 0) return true;
    at = end + 1;
  }
  return false;
}

// "BEGIN-END r-xp OFFSET DEVICE INODE   /PATH"
void take(const char* line) {
  const char* rights = strchr(line, ' ');
  const char* path = strchr(line, '/');
  if (rights == nullptr || path == nullptr || strnlen(rights, 5) < 5 || rights[3] != 'x') return;
  const size_t length = strlen(path);
  if (is_of_the_system(path) || is_known(path, length) || used + length + 2 > most_bytes) return;
  memcpy(paths + used, path, length);
  used += static_cast<int>(length);
  paths[used++] = '\n';
  paths[used] = 0;
}

}  // namespace

void write_code_files() {
  const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char line[4608];  // a path and what stands before it
  size_t length = 0;
  char chunk[4096];
  for (ssize_t n = read(fd, chunk, sizeof chunk); n > 0; n = read(fd, chunk, sizeof chunk))
    for (ssize_t i = 0; i < n; ++i) {
      if (chunk[i] != '\n') {
        if (length + 1 < sizeof line) line[length++] = chunk[i];
        continue;
      }
      line[length] = 0;
      take(line);
      length = 0;
    }
  close(fd);
  DefinitionLine("fact").text("name", "code").text("files", paths).write();
}

}  // namespace ww::interpose

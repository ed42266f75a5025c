#include "interpose/core/code_files.hpp"

#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/each_line.hpp"

namespace ww::interpose {

namespace {

constexpr int most_bytes = 1 << 16;  // of all paths; what does not fit is left out
char paths[most_bytes];
int used = 0;

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

bool is_of_the_system(const char* path) {
  constexpr const char* folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  for (const char* folder : folders)
    if (strncmp(path, folder, strlen(folder)) == 0) return true;
  return false;
}

void write_code_files() {
  each_line("/proc/self/maps", take);
  DefinitionLine("fact").text("name", "code").text("files", paths).write();
}

}  // namespace ww::interpose

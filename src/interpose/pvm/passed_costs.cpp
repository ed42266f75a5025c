#include "interpose/pvm/passed_costs.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/core/environment.hpp"

namespace ww::interpose {

namespace {

void leave(const char* path, const char* value) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;
  const size_t length = strlen(value);
  const bool all = write(fd, value, length) == static_cast<ssize_t>(length);
  close(fd);
  if (!all) unlink(path);
}

void take(const char* path, const char* name) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat about = {};
  auto* const value = fstat(fd, &about) == 0
                          ? static_cast<char*>(calloc(1, static_cast<size_t>(about.st_size) + 1))
                          : nullptr;
  if (value != nullptr && read(fd, value, static_cast<size_t>(about.st_size)) == about.st_size)
    setenv(name, value, 0);
  free(value);
  close(fd);
}

}  // namespace

void pass_costs_on(const char* spool_dir) {
  if (spool_dir == nullptr) return;
  const int error = errno;
  for (const char* const name : environment::costs) {
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/stamps-%s", spool_dir, name);
    if (n < 0 || static_cast<size_t>(n) >= sizeof path) continue;
    if (const char* const value = getenv(name))
      leave(path, value);
    else
      take(path, name);
  }
  errno = error;
}

}  // namespace ww::interpose

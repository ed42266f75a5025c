#include "interpose/core/notes.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "interpose/core/environment.hpp"

namespace ww::interpose {

void note(const char* name, const char* text, size_t length) {
  const char* dir = getenv(environment::spool_dir);
  char path[4096];
  if (dir == nullptr || snprintf(path, sizeof path, "%s/%s", dir, name) >= 4096) return;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  constexpr off_t enough = 4096;
  struct stat status {};
  if (fstat(file, &status) == 0 && status.st_size < enough) {
    const iovec line[] = {{const_cast<char*>(text), length}, {const_cast<char*>("\n"), 1}};
    const ssize_t written = writev(file, line, 2);
    (void)written;
  }
  close(file);
}

void note_program(const char* name) {
  char program[512];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
  if (length > 0) note(name, program, static_cast<size_t>(length));
}

}  // namespace ww::interpose

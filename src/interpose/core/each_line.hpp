// A file of the system read line by line, without the heap: what is longer than there is room for is cut.
#pragma once
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

namespace ww::interpose {

// take(LINE), each with a 0 at its end. Nothing where the file cannot be read.
template <class Take>
void each_line(const char* path, Take take) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char line[4608], chunk[4096];  // a path and what stands before it
  size_t length = 0;
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
}

}  // namespace ww::interpose

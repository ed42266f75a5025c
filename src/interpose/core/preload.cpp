#include "interpose/core/preload.hpp"

#include <stdlib.h>
#include <string.h>

namespace ww::interpose {

void leave_preload(const char* own_file) {
  const char* const preload = getenv("LD_PRELOAD");
  if (preload == nullptr) return;
  char* const kept = strdup(preload);
  if (kept == nullptr) return;
  char* end = kept;
  for (const char* word = preload; *word != 0;) {
    const size_t length = strcspn(word, ": ");
    if (length > 0 && memmem(word, length, own_file, strlen(own_file)) == nullptr) {
      if (end != kept) *end++ = ':';
      memcpy(end, word, length);
      end += length;
    }
    word += length;
    if (*word != 0) ++word;
  }
  *end = 0;
  if (end == kept)
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", kept, 1);
  free(kept);
}

}  // namespace ww::interpose

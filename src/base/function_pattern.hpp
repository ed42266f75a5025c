// Patterns of functions' names, the same for all commands: of a shell, compared with the whole name ("nas::Grid::step") and with its last part, and of
// names that end in _ (Fortran's) also without it. The recorder, which is loaded into other people's programs, uses this too: of libc alone.
#pragma once
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

namespace ww {

inline bool function_matches(const char* pattern, size_t length, const char* name) {
  char one[256], bare[512];
  if (length == 0 || length >= sizeof one) return false;
  memcpy(one, pattern, length);
  one[length] = 0;
  const size_t end = strlen(name);
  bare[0] = 0;
  if (end > 1 && end < sizeof bare && name[end - 1] == '_') {
    memcpy(bare, name, end - 1);
    bare[end - 1] = 0;
  }
  const char* const wholes[] = {name, bare};
  for (const char* whole : wholes) {
    if (*whole == 0) continue;
    const char* last = whole;
    for (const char* at = whole; (at = strstr(at, "::")) != nullptr;) last = at += 2;
    if (fnmatch(one, whole, 0) == 0 || fnmatch(one, last, 0) == 0) return true;
  }
  return false;
}

// `list`: patterns by comma; those with ! in front exclude. Without any that includes all are wanted that none excludes.
inline bool is_function_wanted(const char* list, const char* name) {
  bool any = false, included = false;
  for (const char* at = list; *at != 0;) {
    const size_t length = strcspn(at, ",");
    const bool excludes = *at == '!';
    const bool hit = function_matches(at + excludes, length - excludes, name);
    if (excludes && hit) return false;
    if (!excludes && length > 0) {
      any = true;
      included = included || hit;
    }
    at += length;
    if (*at == ',') ++at;
  }
  return included || !any;
}

}  // namespace ww

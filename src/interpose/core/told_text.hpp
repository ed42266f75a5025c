// A text as programs give it to the functions of interpose/marker/table.h.
#pragma once
#include <stddef.h>
#include <string.h>

#include "interpose/marker/table.h"

namespace ww::interpose {

struct ToldText {
  const char* at;
  size_t length;
};

inline ToldText text_of(const char* at, size_t length) {
  if (at == nullptr) return {"", 0};
  if (length == WW_UP_TO_ZERO) return {at, strlen(at)};
  while (length > 0 && at[length - 1] == ' ') --length;
  return {at, length};
}

}  // namespace ww::interpose

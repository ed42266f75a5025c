// Where the code of a program or a library is, to tell whose call it is by where it comes from.
#pragma once
#include <stdint.h>

namespace ww::interpose {

struct CodeRange {
  uintptr_t begin = 0, end = 0;
  bool holds(const void* code) const {
    const auto at = reinterpret_cast<uintptr_t>(code);
    return at >= begin && at < end;
  }
};

// The executable part, of a file that is loaded, in which `code` is; nothing where it is in none.
CodeRange code_around(const void* code);
// From the first to the last part of the file in whose code or data `place` is.
CodeRange file_around(const void* place);

}  // namespace ww::interpose

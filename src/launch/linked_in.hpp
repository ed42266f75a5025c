// Which message library a program has in its own code. A preloaded recorder cannot stand before calls of it, which
// are bound when the program is linked, unless it was linked so that they can be seen (Library::wrap_package).
#pragma once
#include <optional>
#include <string>

#include "base/result.hpp"
#include "library/libraries.hpp"

namespace ww {

struct LinkedIn {
  const Library* library = nullptr;
  bool wrapped = false;  // its calls can be recorded
};
// Nothing of what is no program, or cannot be read.
std::optional<LinkedIn> linked_in(const std::string& path);

// Of a program whose calls cannot be recorded.
Error calls_unseen(const Library& library, const std::string& program);

}  // namespace ww

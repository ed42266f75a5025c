// What an executable file is: enough of ELF to know whether a library can be preloaded into it.
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww {

struct Executable {
  enum class Kind { dynamic, static_program, script } kind = Kind::dynamic;
  std::vector<std::string> libraries;          // of a dynamic one, all it needs, transitively: "libmpi.so.40"
  std::vector<std::string> missing_libraries;  // needed and not found
};

// Errors: unreadable, neither ELF of this machine nor a script.
Result<Executable> inspect_executable(const std::string& path);

}  // namespace ww

// A launch line of several programs, "mpirun -n 1 ./a : -n 3 ./b", taken apart at the colons: what of it are
// options of the launcher.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace ww::lab {

struct Context {
  std::size_t begin = 0;      // of its options; the launcher itself is before the first
  std::size_t program = 0;    // the first word that is no option of the launcher
  std::optional<long> ranks;  // by -n and the like; none: the launcher decides
};

// The line begins with its launcher.
std::vector<Context> contexts_of(const std::vector<std::string>& launch);

// Is one of these among the launcher's options? What stands behind a program is the program's.
bool has_option(const std::vector<std::string>& launch, const std::vector<Context>& contexts,
                std::initializer_list<const char*> any);

}  // namespace ww::lab

// Where the launcher, the wrappers and the programs stand in a launch line.
#pragma once
#include <string>
#include <vector>

#include "launch/launch.hpp"

namespace ww::launch {

// Fills `words`, `wrappers`, `launcher` and `programs` of a launch from its `line`; looks into no program
// where the launcher's options are known. Errors: no program, two readings, a missing launcher.
Result<void> read_line(Launch& launch);

// Where the word stands that is no wrapper, and no word of one.
std::size_t behind_wrappers(const std::vector<std::string>& words);

}  // namespace ww::launch

// Daemons of a message library that the user runs with their recorder, beside any program: what they left until now becomes part of a recording.
#pragma once
#include <filesystem>

#include "base/result.hpp"

namespace ww {

// Error: no daemon has recorded into DIR.
Result<void> check_daemons(const std::filesystem::path& dir);
// Into the spool, before it is unified; the daemons go on, and so do their files. Error: there is no room.
Result<void> copy_daemons(const std::filesystem::path& dir, const std::filesystem::path& spool);

}  // namespace ww

// Programs that took part in a run and whose calls could not be recorded, as they have the message library in their own
// code (launch/linked_in.hpp).
#pragma once
#include <filesystem>
#include <optional>

#include "base/result.hpp"

namespace ww {

// Of those that the recorder noted in the spool and that can be read here. The error is of all of them.
std::optional<Error> unseen_programs(const std::filesystem::path& spool);

}  // namespace ww

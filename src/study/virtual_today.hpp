// The program by the virtual clock on the machine as it is: what the virtual time of a what-if is compared
// with where the recorded times cannot be relied upon.
#pragma once
#include <optional>

#include "study/rounds.hpp"

namespace ww {

// Nothing where the program has no virtual time, or none was asked for; what was said of it goes to `said`.
std::optional<Estimate> virtual_today(const Launch& launch, const StudyOptions& options, const Rounds& all,
                                      Diagnostics& said);

}  // namespace ww

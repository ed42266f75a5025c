// Why a schedule cannot go on.
#pragma once
#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::schedule {

// The cycle of operations of which each waits for the next, from those that are not done.
tl::unexpected<Error> deadlock(const Schedule& schedule, const std::function<bool(std::uint64_t)>& done);

}  // namespace ww::schedule

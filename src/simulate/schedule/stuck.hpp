// Why a replay cannot go on.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::schedule {

// From `first` on by whom each waits for. cycle: the last waits for the first of `path`, which what led there is no
// part of; else the last waits for nobody.
struct WhomItWaitsFor {
  std::vector<std::uint64_t> path;
  bool cycle = false;
};
WhomItWaitsFor follow_waits(std::uint64_t first,
                            const std::function<std::optional<std::uint64_t>(std::uint64_t)>& waits_for);

// The cycle of operations of which each waits for the next, from those that are not done.
tl::unexpected<Error> deadlock(const Schedule& schedule, const std::function<bool(std::uint64_t)>& done);

}  // namespace ww::schedule

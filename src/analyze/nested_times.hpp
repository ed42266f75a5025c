// Calls of a message library inside of others (PVM's): what is the inner one's own is not the outer one's.
#pragma once
#include <algorithm>
#include <cstdint>

#include "analyze/breakdown.hpp"

namespace ww {

// Of the calls within `call`, which waited for `blocked_ns` at its begin: their times go from the call around each to itself. of(region) is
// that name's total; `next`: of rank.nested, where to look from. Gives where to look for the next call.
template <class Of>
std::size_t take_nested(const Part& part, const RankTrace& rank, std::size_t call, std::int64_t blocked_ns,
                        std::size_t next, Of of) {
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  while (next < rank.nested.size() && rank.nested[next].call < call) ++next;
  const std::int64_t blocked_from = std::max(rank.enter_ns[call], part.within(rank).first);
  for (; next < rank.nested.size() && rank.nested[next].call == call; ++next) {
    const NestedCall& inner = rank.nested[next];
    const std::int64_t enter = std::clamp(inner.enter_ns, rank.enter_ns[call], rank.leave_ns[call]);
    const std::int64_t leave = std::clamp(inner.leave_ns, enter, rank.leave_ns[call]);
    const double time_s = seconds(part.in_span(enter, leave)),
                 program_s = seconds(part.clipped(rank, enter, leave)),
                 blocked_s = seconds(std::max<std::int64_t>(
                     0, std::min(leave, blocked_from + blocked_ns) - std::max(enter, blocked_from)));
    CallTotal& own = of(inner.region);
    if (part.begins(rank, call)) ++own.count;
    own.time_s += time_s, own.program_s += program_s, own.blocked_s += blocked_s;
    CallTotal& around = of(inner.around);
    around.time_s -= time_s, around.program_s -= program_s, around.blocked_s -= blocked_s;
  }
  return next;
}

}  // namespace ww

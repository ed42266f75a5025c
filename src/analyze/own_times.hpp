// Calls of a message library inside of others (PVM's): what is the inner one's own is not the outer one's.
#pragma once
#include <algorithm>
#include <cstdint>

#include "analyze/breakdown.hpp"

namespace ww {

// A call that waited as `blocked` says is added to its name's total, and what calls within it took goes from the call around each to itself. of(region)
// is a name's total; `next`: of rank.nested, where to look from. Gives where to look for the next call. Totals may be below 0 by rounding.
template <class Of>
std::size_t add_own_times(const Part& part, const RankTrace& rank, std::size_t call,
                          const Part::Blocked& blocked, std::size_t next, Of of) {
  CallTotal& total = of(rank.region[call]);
  if (part.begins(rank, call)) ++total.count;
  total.time_s += seconds_of(part.in_span(rank.enter_ns[call], rank.leave_ns[call]));
  total.program_s += seconds_of(part.clipped(rank, rank.enter_ns[call], rank.leave_ns[call]));
  total.blocked_s += seconds_of(blocked.both_ns());
  while (next < rank.nested.size() && rank.nested[next].call < call) ++next;
  const std::int64_t blocked_from = std::max(rank.enter_ns[call], part.within(rank).first);
  for (; next < rank.nested.size() && rank.nested[next].call == call; ++next) {
    const NestedCall& inner = rank.nested[next];
    const std::int64_t enter = std::clamp(inner.enter_ns, rank.enter_ns[call], rank.leave_ns[call]);
    const std::int64_t leave = std::clamp(inner.leave_ns, enter, rank.leave_ns[call]);
    const double time_s = seconds_of(part.in_span(enter, leave)),
                 program_s = seconds_of(part.clipped(rank, enter, leave)),
                 blocked_s = seconds_of(std::max<std::int64_t>(
                     0, std::min(leave, blocked_from + blocked.both_ns()) - std::max(enter, blocked_from)));
    CallTotal& own = of(inner.region);
    if (part.begins(rank, call)) ++own.count;
    own.time_s += time_s, own.program_s += program_s, own.blocked_s += blocked_s;
    CallTotal& around = of(inner.around);
    around.time_s -= time_s, around.program_s -= program_s, around.blocked_s -= blocked_s;
  }
  return next;
}

}  // namespace ww

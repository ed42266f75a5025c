#include "analyze/library_time.hpp"

#include <algorithm>
#include <map>

#include "analyze/own_times.hpp"

namespace ww {

std::vector<std::vector<LibraryTime>> find_library_times(const Part& part, const Breakdown& breakdown) {
  const Trace& trace = part.trace();
  const std::vector<WaitingOfCalls> waiting = breakdown.waiting();
  std::vector<std::vector<LibraryTime>> out(trace.ranks.size());
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    std::map<std::uint32_t, CallTotal> totals;
    const auto of = [&](std::uint32_t region) -> CallTotal& { return totals[region]; };
    const Part::Range calls = part.calls(r);
    std::size_t nested = 0;
    for (std::size_t call = calls.first; call < calls.last; ++call) {
      if (!part.takes(rank, call)) continue;
      const Part::Blocked blocked =
          part.blocked(rank, call, {(*waiting[r].algorithmic_ns)[call], (*waiting[r].service_ns)[call]});
      nested = add_own_times(part, rank, call, blocked, nested, of);
    }
    for (const auto& [region, total] : totals) out[r].push_back({region, total});
    std::stable_sort(out[r].begin(), out[r].end(), [](const LibraryTime& a, const LibraryTime& b) {
      return a.library_s() > b.library_s();
    });
  }
  return out;
}

}  // namespace ww

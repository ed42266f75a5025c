#include "simulate/asking.hpp"

#include <algorithm>
#include <cstddef>

#include "trace/call_meaning.hpp"

namespace ww::simulate {
namespace {

bool found_nothing(const RankTrace& rank, std::size_t call) {
  const std::uint32_t first = rank.first_action[call], end = rank.first_action[call + 1];
  for (std::uint32_t a = first; a < end; ++a)
    if (rank.kind[a] != ActionKind::test_failed) return false;
  return end > first;
}

}  // namespace

std::vector<bool> waits_by_asking(const Trace& trace, const RankTrace& rank) {
  std::vector<bool> asks;
  for (std::size_t region = 0; region < trace.regions.size(); ++region)
    asks.push_back(meaning_of_region(trace, region).manner == CallManner::polls);
  std::vector<bool> waits(rank.calls(), false);
  for (std::size_t first = 0; first < rank.calls(); ++first) {
    if (!asks[rank.region[first]] || !found_nothing(rank, first)) continue;
    std::size_t last = first, apart = 0;  // the first call that found something, or that does not ask
    while (last < rank.calls() && asks[rank.region[last]] && found_nothing(rank, last)) {
      ++last;
      if (last < rank.calls() && rank.enter_ns[last] - rank.leave_ns[last - 1] > nothing_between_ns) ++apart;
    }
    const bool found = last < rank.calls() && asks[rank.region[last]];
    if (found && static_cast<double>(apart) <= interrupted * static_cast<double>(last - first))
      std::fill(waits.begin() + static_cast<std::ptrdiff_t>(first),
                waits.begin() + static_cast<std::ptrdiff_t>(last), true);
    first = last;
  }
  return waits;
}

}  // namespace ww::simulate

#include "view/trace_source.hpp"

#include <algorithm>
#include <array>

namespace ww::view {

TraceSource::TraceSource(const Trace& trace, const std::vector<Breakdown::CallSplit>& splits)
    : trace_(trace), splits_(splits) {
  WW_INVARIANT(splits.size() == trace.ranks.size());
  const std::int64_t begin_ns = trace.begin_ns();
  for (const RankTrace& rank : trace.ranks)
    ranks_.push_back({rank.begin_ns - begin_ns, std::max(rank.begin_ns, rank.end_ns) - begin_ns});
}

Result<void> TraceSource::read(std::size_t number, const Take& take) const {
  const RankTrace& rank = trace_.ranks[number];
  const Breakdown::CallSplit& split = splits_[number];
  WW_INVARIANT(split.algorithmic_ns.size() == rank.calls() && split.service_ns.size() == rank.calls());
  const std::int64_t begin_ns = trace_.begin_ns();
  std::array<CallInterval, 1024> piece;
  for (std::size_t first = 0; first < rank.calls(); first += piece.size()) {
    const std::size_t count = std::min(piece.size(), rank.calls() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t call = first + i;
      piece[i] = {rank.enter_ns[call] - begin_ns, rank.leave_ns[call] - begin_ns, split.algorithmic_ns[call],
                  split.service_ns[call], rank.region[call]};
    }
    take({piece.data(), count});
  }
  return {};
}

}  // namespace ww::view

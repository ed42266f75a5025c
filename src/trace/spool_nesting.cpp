#include "trace/spool_nesting.hpp"

#include <algorithm>
#include <limits>

#include "trace/spool_decode.hpp"

namespace ww::spool {

std::uint64_t latest_ticks(const RankSpool& spool) {
  const auto& end = spool.definitions.end;
  return end && end->ticks > 0 && end->reason != "exit" && end->reason != "abort"
             ? static_cast<std::uint64_t>(end->ticks)
             : std::numeric_limits<std::uint64_t>::max();
}

void plant(const Records& records, std::size_t from, std::size_t call_count, std::uint64_t latest_of_rank,
           Forest& forest) {
  constexpr std::size_t most_nested = 1 << 18;
  forest.trees.clear();
  forest.outermost.clear();
  std::uint64_t latest = 0;
  std::size_t at = from;
  for (bool nested = true; nested && at < records.size() && forest.trees.size() < most_nested;) {
    const Record record = records[at];
    if (record.call == no_call || !makes_sense(record, call_count, latest_of_rank) ||
        record.leave_ticks < latest)
      break;
    latest = record.leave_ticks;
    nested = (record.flags & flag_nested) != 0;
    CallTree tree{at, record.enter_ticks, {}};
    auto& open = forest.outermost;
    for (; !open.empty() && forest.trees[open.back()].enter_ticks >= record.enter_ticks; open.pop_back())
      tree.inner.push_back(open.back());
    open.push_back(forest.trees.size());
    forest.trees.push_back(std::move(tree));
    at = end_of_call(records, at);
  }
  forest.end_record = at;
}

std::optional<std::uint64_t> first_ticks(const RankSpool& spool, std::size_t call_count,
                                         const Records& thread) {
  const std::uint64_t latest = latest_ticks(spool);
  std::optional<std::uint64_t> first;
  for (std::size_t i = 0; i < thread.size(); ++i) {
    const Record record = thread[i];
    if (!makes_sense(record, call_count, latest)) continue;
    first = std::min(first.value_or(record.enter_ticks), record.enter_ticks);
    if ((record.flags & flag_nested) == 0) break;  // else the call around it was entered before
  }
  return first;
}

}  // namespace ww::spool

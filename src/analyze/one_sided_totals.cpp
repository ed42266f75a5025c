#include "analyze/one_sided_totals.hpp"

#include <algorithm>
#include <span>

namespace ww {
namespace {

void count(OneSidedTotal& total, const Transfer& transfer, double issue_s, bool begins) {
  total.issue_s += issue_s;
  if (!begins) return;
  if (transfer.kind == TransferKind::put)
    ++total.puts;
  else if (transfer.kind == TransferKind::get)
    ++total.gets;
  else
    ++total.atomics;
  total.bytes_out += transfer.bytes_out;
  total.bytes_in += transfer.bytes_in;
}

// Of what stands in the order of the calls, what belongs to some of these.
template <class T>
std::span<const T> of_calls(const Column<T>& all, const Part::Range& calls) {
  const auto at = [&](std::size_t call) {
    return std::lower_bound(all.begin(), all.end(), call,
                            [](const T& one, std::size_t number) { return one.call < number; });
  };
  return {at(calls.first), at(calls.last)};
}

}  // namespace

std::vector<WindowTotal> find_one_sided(const Part& part, const Breakdown& breakdown) {
  const Trace& trace = part.trace();
  std::vector<WindowTotal> windows(trace.one_sided.windows.size());
  for (std::size_t w = 0; w < windows.size(); ++w) windows[w].window = static_cast<std::uint32_t>(w);
  for (std::size_t r = 0; r < trace.one_sided.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    const Part::Range calls = part.calls(r);
    const auto took = [&](std::uint32_t call) {
      return seconds_of(part.in_span(rank.enter_ns[call], rank.leave_ns[call]));
    };
    const auto is_taken = [&](std::uint32_t call, std::int32_t target) {
      return part.takes_name(rank, call) && (target < 0 || part.has_peer(target));
    };
    for (const Transfer& transfer : of_calls(trace.one_sided.ranks[r].transfers, calls)) {
      if (!is_taken(transfer.call, transfer.target)) continue;
      WindowTotal& window = windows[transfer.window];
      const bool begins = part.begins(rank, transfer.call);
      count(window, transfer, took(transfer.call), begins);
      count(window.targets[transfer.target], transfer, took(transfer.call), begins);
    }
    for (const WindowSync& sync : of_calls(trace.one_sided.ranks[r].syncs, calls)) {
      if (!is_taken(sync.call, sync.target)) continue;
      WindowTotal& window = windows[sync.window];
      const auto add = [&](OneSidedTotal& total) {
        if (part.begins(rank, sync.call)) ++total.syncs;
        total.sync_s += took(sync.call);
      };
      add(window);
      if (sync.target >= 0) add(window.targets[sync.target]);
      const Part::Blocked whole{breakdown.splits[r].algorithmic_ns[sync.call], 0};
      window.waited_s += seconds_of(part.blocked(rank, sync.call, whole).algorithmic_ns);
    }
  }
  return windows;
}

}  // namespace ww

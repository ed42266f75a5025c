#include "analyze/utilisation.hpp"

#include <algorithm>
#include <limits>

#include "analyze/spread.hpp"

namespace ww {
namespace {

std::int64_t send_began(const Trace& trace, const Message& message) {
  return trace.ranks[static_cast<std::size_t>(message.source)].enter_ns[message.send_call];
}

// Until when nothing that the call waits for had been sent; at most its return.
std::int64_t idle_until(const Trace& trace, const RankTrace& rank, const Wait& wait) {
  const std::int64_t enter = rank.enter_ns[wait.call], leave = rank.leave_ns[wait.call];
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  bool receives = false;
  for (std::uint32_t a = rank.first_action[wait.call]; a < rank.first_action[wait.call + 1]; ++a) {
    if (rank.kind[a] != ActionKind::recv && rank.kind[a] != ActionKind::irecv_done) continue;
    if (rank.match[a] == none) return enter;  // sent at a time that nobody recorded
    receives = true;
    first = std::min(first, send_began(trace, trace.messages[rank.match[a]]));
  }
  // A probe has no message of its own, a collective no send: what they waited for is in `until_ns`.
  if (!receives) first = wait.receives + wait.collectives > 0 ? wait.until_ns : enter;
  return std::clamp(first, enter, leave);
}

// What the kernel counted of the processes, where the recorder kept it.
void take_processors(const Trace& trace, Utilisation& out) {
  if (trace.run.in_virtual_time) return;
  double cpu_s = 0, of_cpu_s = 0, waited_s = 0, of_waited_s = 0;
  for (const RunRecord::Rank& rank : trace.run.ranks) {
    if (rank.cpu_s >= 0) cpu_s += rank.cpu_s, of_cpu_s += rank.elapsed_s;
    if (rank.waited_s >= 0) waited_s += rank.waited_s, of_waited_s += rank.elapsed_s;
  }
  if (of_cpu_s > 0) out.processor = cpu_s / of_cpu_s;
  if (of_waited_s > 0) out.without_core = waited_s / of_waited_s;
}

}  // namespace

Utilisation find_utilisation(const Part& part, const Waits& waits) {
  const Trace& trace = part.trace();
  Utilisation out;
  TimeBins idle_bins(part.from_ns(), part.to_ns(), bins_over_time), run_bins = idle_bins;
  double idle_s = 0, elapsed_s = 0;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    const Part::Range calls = part.calls(r);
    const auto [begin, end] = part.within(rank);
    RankUtilisation one;
    one.rank = static_cast<std::int32_t>(r);
    one.elapsed_s = seconds_of(part.is_whole() ? rank.end_ns - rank.begin_ns : end - begin);
    run_bins.add(begin, end);
    for (const Wait& wait : waits_of_calls(waits[r], calls.first, calls.last)) {
      if (!part.takes(rank, wait.call)) continue;
      const std::int64_t from = std::max(rank.enter_ns[wait.call], begin);
      const std::int64_t to = std::min(idle_until(trace, rank, wait), end);
      if (to <= from) continue;
      one.idle_s += seconds_of(to - from);
      idle_bins.add(from, to);
    }
    for (std::size_t call = calls.first; call < calls.last; ++call) {
      const auto from = rank.kind.begin() + rank.first_action[call];
      const auto to = rank.kind.begin() + rank.first_action[call + 1];
      if (std::find(from, to, ActionKind::test_failed) == to || !part.takes(rank, call)) continue;
      one.polling_s += seconds_of(part.clipped(rank, rank.enter_ns[call], rank.leave_ns[call]));
    }
    one.utilisation = one.elapsed_s > 0 ? 1 - one.idle_s / one.elapsed_s : 0;
    idle_s += one.idle_s;
    elapsed_s += one.elapsed_s;
    out.ranks.push_back(one);
  }
  out.utilisation = elapsed_s > 0 ? 1 - idle_s / elapsed_s : 0;
  if (part.is_whole()) take_processors(trace, out);
  if (run_bins.size() > 0) out.bin_s = part.elapsed_s() / static_cast<double>(run_bins.size());
  for (std::size_t bin = 0; bin < run_bins.size(); ++bin)
    out.over_time.push_back(run_bins.sum_ns(bin) > 0 ? 1 - idle_bins.sum_ns(bin) / run_bins.sum_ns(bin) : 0);
  return out;
}

}  // namespace ww

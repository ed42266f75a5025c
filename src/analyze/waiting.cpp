#include "analyze/waiting.hpp"

#include <algorithm>

namespace ww {

Waiting find_waiting(const Part& part, const Breakdown& breakdown, const Waits& waits) {
  const Trace& trace = part.trace();
  Waiting out;
  struct Samples {
    Column<double> time_s, blocked_s;
  };
  std::map<std::string, Samples> samples;
  std::map<std::pair<std::int32_t, std::int32_t>, WaitedFor> pairs;
  for (std::size_t r = 0; r < waits.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    const Breakdown::CallSplit& split = breakdown.splits[r];
    const auto [first, last] = part.calls(r);
    for (const Wait& wait : waits_of_calls(waits[r], first, last)) {
      if (!part.takes(rank, wait.call)) continue;
      if (rank.enter_ns[wait.call] >= rank.end_ns || rank.leave_ns[wait.call] <= rank.begin_ns) continue;
      const std::string& name = trace.regions[rank.region[wait.call]];
      const Part::Blocked whole{split.algorithmic_ns[wait.call], split.service_ns[wait.call]};
      const auto [algorithmic, service] = part.blocked(rank, wait.call, whole);
      const bool begins = part.begins(rank, wait.call);
      if (!begins && algorithmic + service == 0) continue;
      CallWaiting& call = out.calls[name];
      call.algorithmic_s += seconds_of(algorithmic);
      call.service_s += seconds_of(service);
      Samples& of =
          samples.try_emplace(name, Column<double>(trace.store), Column<double>(trace.store)).first->second;
      if (begins) {
        ++call.calls;
        if (whole.both_ns() > 0) ++call.waited;
        call.blocked_ns.add(static_cast<std::uint64_t>(whole.both_ns()));
        of.time_s.push_back(seconds_of(rank.leave_ns[wait.call] - rank.enter_ns[wait.call]));
        of.blocked_s.push_back(seconds_of(whole.both_ns()));
      }
      if (wait.until_rank < 0 || whole.algorithmic_ns == 0) continue;
      const auto self = static_cast<std::int32_t>(r);
      WaitedFor& pair =
          pairs.try_emplace({self, wait.until_rank}, WaitedFor{self, wait.until_rank, 0, 0}).first->second;
      if (begins) ++pair.calls;
      pair.algorithmic_s += seconds_of(algorithmic);
    }
  }
  for (auto& [name, call] : out.calls) {
    call.time_s = spread_of(samples.at(name).time_s);
    call.blocked_s = spread_of(samples.at(name).blocked_s);
  }
  for (const auto& [key, pair] : pairs) out.pairs.push_back(pair);
  return out;
}

}  // namespace ww

#include "analyze/messages.hpp"

#include <algorithm>

#include "analyze/carried.hpp"

namespace ww {
MessageSizes find_messages(const Part& part) {
  const Trace& trace = part.trace();
  MessageSizes out;
  const auto take_collective = [&](std::size_t r, std::uint32_t call, std::uint32_t number) {
    const Collective& collective = trace.collectives[number];
    const CollectiveMember* const member = member_of(collective, static_cast<std::int32_t>(r));
    if (member == nullptr || member->call != call) return;
    CollectiveVolume& volume = out.collectives[{to_string(collective.op), collective.comm}];
    if (member == collective.members.data()) ++volume.count;
    volume.bytes_sent += member->bytes_sent;
    volume.bytes_received += member->bytes_received;
  };
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    const auto [first, last] = part.calls(r);
    for (auto call = static_cast<std::uint32_t>(first); call < last; ++call) {
      if (!part.counts(rank, call)) continue;
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
        const ActionKind kind = rank.kind[a];
        if ((kind == ActionKind::collective || kind == ActionKind::icollective) && rank.match[a] != none)
          take_collective(r, call, rank.match[a]);
        if ((kind != ActionKind::send && kind != ActionKind::isend) || !part.has_peer(rank.peer[a])) continue;
        out.all.add(rank.bytes[a]);
        out.by_call[trace.regions[rank.region[call]]].add(rank.bytes[a]);
        out.by_type[{rank.comm[a], rank.tag[a]}].add(rank.bytes[a]);
        out.by_pair[{static_cast<std::int32_t>(r), rank.peer[a]}].add(rank.bytes[a]);
      }
    }
  }
  return out;
}

}  // namespace ww

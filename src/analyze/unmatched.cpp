#include "analyze/unmatched.hpp"

#include <unordered_map>
#include <unordered_set>

namespace ww {
namespace {

bool begins_message(ActionKind kind) {
  return kind == ActionKind::send || kind == ActionKind::isend || kind == ActionKind::recv ||
         kind == ActionKind::irecv;
}

// What became of those operations of a rank that ended without their other side.
std::unordered_map<std::uint64_t, ActionKind> ends_of(const RankTrace& rank, const Part::Range& calls) {
  std::unordered_set<std::uint64_t> unmatched;
  const std::size_t from = rank.first_action[calls.first], to = rank.first_action[calls.last];
  for (std::size_t a = from; a < to; ++a)
    if (rank.operation[a] != 0 && rank.match[a] == none && begins_message(rank.kind[a]))
      unmatched.insert(rank.operation[a]);
  std::unordered_map<std::uint64_t, ActionKind> ends;
  for (std::size_t a = from; a < rank.actions() && ends.size() < unmatched.size(); ++a)
    if (unmatched.contains(rank.operation[a]) &&
        (rank.kind[a] == ActionKind::isend_done || rank.kind[a] == ActionKind::irecv_done ||
         rank.kind[a] == ActionKind::cancelled))
      ends[rank.operation[a]] = rank.kind[a];
  return ends;
}

}  // namespace

std::vector<UnmatchedEnd> find_unmatched(const Part& part) {
  const Trace& trace = part.trace();
  std::vector<UnmatchedEnd> out;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    if (!part.has_rank(r) || rank.first_action.empty()) continue;
    const Part::Range calls = part.calls(r);
    const auto ends = ends_of(rank, calls);
    for (auto call = static_cast<std::uint32_t>(calls.first); call < calls.last; ++call)
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
        const ActionKind kind = rank.kind[a];
        const bool send = kind == ActionKind::send || kind == ActionKind::isend;
        if (rank.match[a] != none || !begins_message(kind)) continue;
        if (!part.counts(rank, call)) break;
        const auto end = ends.find(rank.operation[a]);
        const bool ended = rank.operation[a] != 0 && end != ends.end();
        if (ended && end->second == ActionKind::cancelled) continue;
        UnmatchedEnd one{send,
                         static_cast<std::int32_t>(r),
                         rank.peer[a],
                         rank.tag[a],
                         rank.comm[a],
                         rank.bytes[a],
                         call,
                         seconds_of(rank.enter_ns[call] - trace.begin_ns()),
                         ""};
        if (!send && (rank.flags_of(a) & action_wildcard_source) != 0 && !ended) one.peer = -1;
        if (!part.has_peer(one.peer)) continue;
        if (send)
          one.why = "not received as far as the trace goes";
        else if (kind == ActionKind::irecv && !ended)
          one.why = "posted and never completed";
        else
          one.why = "its send is not in the trace";
        out.push_back(one);
      }
  }
  return out;
}

}  // namespace ww

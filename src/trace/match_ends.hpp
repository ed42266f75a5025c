// The ends of messages and collectives, by rank: what match.cpp collects and match_collectives.cpp joins.
#pragma once
#include <set>
#include <span>
#include <tuple>

#include "trace/trace.hpp"

namespace ww {

// One end of a message: what it is matched by, and where it is written down. Its rank is that of the list.
struct MessageEnd {
  std::int32_t peer;
  std::uint32_t comm;
  std::int32_t tag;
  std::uint32_t action;       // the send, or the posting of the receive
  std::uint32_t done_action;  // where it completed, or none
  std::uint32_t call, done_call;
  bool left_out;  // not in the trace: only known to have been; how many is the action's `bytes`

  auto key() const { return std::tie(peer, comm, tag); }
};

struct CollectiveEnd {
  std::uint32_t comm;
  std::uint32_t action, done_action, call, done_call;
  std::uint64_t sequence;
};

// What one rank's columns have for matching.
struct RankEnds {
  explicit RankEnds(const std::shared_ptr<ColumnStore>& store)
      : sends(store), receives(store), collectives(store), pairs(store) {}
  Column<MessageEnd> sends, receives;  // in the order of their keys, those of one key as they began
  Column<CollectiveEnd> collectives;
  std::set<std::uint32_t> comms_with_gaps;  // on which collectives were left out
  std::uint64_t unresolved_receives = 0;  // wildcards that never completed: nobody knows what they waited for

  // As the receiver: which of a peer's sends is received by which of `receives`, by order of completion.
  struct Pair {
    std::uint32_t done_action, send, receive;
  };
  Column<Pair> pairs;
  std::uint64_t unmatched_sends = 0, unmatched_receives = 0, half_left_out = 0, wrong_sizes = 0,
                wildcards = 0;
};

// Fills Trace::collectives and the matches of their actions; Throws NoRoom.
void join_collectives(Trace& trace, const std::vector<RankEnds>& all);

}  // namespace ww

// Fills the columns of a RankTrace call by call.
#pragma once
#include <algorithm>

#include "trace/trace.hpp"

namespace ww {

struct Action {
  ActionKind kind = ActionKind::send;
  std::int32_t peer = -1;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0, bytes_received = 0;
  std::uint64_t operation = 0;
  std::uint8_t flags = 0;
};

// begin_call, then add_action any number of times, then end_call. Times must not fall; a time that does is
// lifted to the one before it.
inline void begin_call(RankTrace& rank, std::int64_t enter_ns, std::uint16_t region) {
  if (rank.first_action.empty()) rank.first_action.push_back(0);
  if (!rank.leave_ns.empty()) enter_ns = std::max(enter_ns, rank.leave_ns.back());
  rank.enter_ns.push_back(enter_ns);
  rank.leave_ns.push_back(enter_ns);
  rank.region.push_back(region);
  rank.first_action.push_back(static_cast<std::uint32_t>(rank.actions()));
}

// The number of the action.
inline std::uint32_t add_action(RankTrace& rank, const Action& action) {
  rank.kind.push_back(action.kind);
  rank.peer.push_back(action.peer);
  rank.tag.push_back(action.tag);
  rank.comm.push_back(action.comm);
  rank.bytes.push_back(action.bytes);
  rank.bytes_received.push_back(action.bytes_received);
  rank.operation.push_back(action.operation);
  rank.match.push_back(none);
  rank.flags.push_back(action.flags);
  rank.first_action.back() = static_cast<std::uint32_t>(rank.actions());
  return static_cast<std::uint32_t>(rank.actions() - 1);
}

inline void end_call(RankTrace& rank, std::int64_t leave_ns) {
  rank.leave_ns.back() = std::max(leave_ns, rank.enter_ns.back());
}

}  // namespace ww

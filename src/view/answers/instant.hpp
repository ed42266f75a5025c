// What every rank is in at an instant.
#pragma once
#include "view/answers/messages_window.hpp"
#include "view/index.hpp"

namespace ww::view {

inline constexpr std::int32_t no_peer = -1, several_peers = -2;

// Whom a call deals with: of messages, those that it begins or completes; of a collective its root.
struct DealsWith {
  std::int32_t peer = no_peer;  // world rank, or one of the above
  std::int32_t tag = 0;         // of the first of them
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;  // of all
  bool any = false;
};
DealsWith deals_with(const RankTrace& rank, std::size_t call);

struct RankState {
  std::uint16_t key = outside_key;
  std::optional<FoundCall> call;
  std::int64_t since_ns = 0, until_ns = 0;  // of that key
  DealsWith with;
  // Messages that are sent and not received, as the analysis of queues has them (src/analyze/queues.hpp).
  std::uint64_t queued_messages = 0, queued_bytes = 0;      // to the rank
  std::uint64_t outgoing_messages = 0, outgoing_bytes = 0;  // from it
};

// By rank. `part`: of the trace that the index is of, with an index itself; all of its ranks and peers count.
// Error: the index is damaged.
Result<std::vector<RankState>> states_at(const Index& index, const Part& part, std::int64_t at_ns);

}  // namespace ww::view

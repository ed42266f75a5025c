// The messages that are under way in a window of time.
#pragma once
#include <string>

#include "analyze/selection.hpp"

namespace ww::view {

struct MessageInTime {
  std::int64_t sent_ns = 0;      // begin of its send, since the begin of the program
  std::int64_t received_ns = 0;  // return of the call that completed its receive
  bool is_received = true;       // else there is no received_ns, and no number
  std::int32_t source = 0, destination = 0, tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;
  std::uint32_t number = none;  // in Trace::messages
};

// take(MessageInTime) for those sent before `to_ns` and not received by `from_ns`, to or from a rank of `part` (peers
// as it has them); by destination and time of receipt, then those that were never received. Times since the begin of
// the program. `part` has an index (Part::of).
template <class Take>
void for_each_message_under_way(const Part& part, std::int64_t from_ns, std::int64_t to_ns, Take take) {
  const Trace& trace = part.trace();
  const std::int64_t begin_ns = trace.begin_ns();
  const auto is_wanted = [&](std::int32_t source, std::int32_t destination) {
    const bool sends = part.has_rank(static_cast<std::size_t>(source)) && part.has_peer(destination);
    return sends || (destination >= 0 && part.has_rank(static_cast<std::size_t>(destination)) &&
                     part.has_peer(source));
  };
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const auto [first, last] = part.messages_to(r, begin_ns + from_ns, begin_ns + to_ns);
    for (std::size_t m = first; m < last; ++m) {
      const Message& message = trace.messages[m];
      if (!is_wanted(message.source, message.destination)) continue;
      const std::int64_t sent_ns = trace.ranks[static_cast<std::size_t>(message.source)]
                                       .enter_ns[message.send_call] -
                                   begin_ns,
                         received_ns = trace.ranks[r].leave_ns[message.recv_done_call] - begin_ns;
      if (sent_ns >= to_ns || received_ns <= from_ns) continue;
      take(MessageInTime{sent_ns, received_ns, true, message.source, message.destination, message.tag,
                         message.comm, message.bytes, static_cast<std::uint32_t>(m)});
    }
  }
  for (const TraceIndex::Send& send : part.index()->unmatched_sends) {
    const RankTrace& rank = trace.ranks[send.rank];
    const std::int64_t sent_ns = rank.enter_ns[send.call] - begin_ns;
    if (sent_ns < to_ns && is_wanted(static_cast<std::int32_t>(send.rank), rank.peer[send.action]))
      take(MessageInTime{sent_ns, 0, false, static_cast<std::int32_t>(send.rank), rank.peer[send.action],
                         rank.tag[send.action], rank.comm[send.action], rank.bytes[send.action], none});
  }
}

struct MessagesWindow {
  std::uint64_t all = 0;
  std::vector<MessageInTime> messages;  // of more than the limit every n-th
};

// Of those never received, only what is sent in the window.
MessagesWindow messages_in_window(const Part& part, std::int64_t from_ns, std::int64_t to_ns,
                                  std::size_t limit);

// "WWM1" (docs/design/viewing.md).
std::string messages_bytes(const MessagesWindow& window);

}  // namespace ww::view

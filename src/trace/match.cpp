#include "trace/match.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ww {
namespace {

// One end of a message: what it is matched by, and where it is written down.
struct End {
  std::uint32_t comm;
  std::int32_t source, destination, tag;
  std::uint32_t action;       // the send, or the posting of the receive
  std::uint32_t done_action;  // where it completed, or none
  std::uint32_t call, done_call;
  std::uint64_t count = 1;  // more only of ends that were left out
  bool left_out = false;    // not in the trace: only known to have been

  auto key() const { return std::tie(comm, source, destination, tag); }
};

// For every operation that a rank began: the action and the call in which it completed or was cancelled.
struct Completion {
  std::uint32_t action = none, call = none;
  bool cancelled = false;
};

bool is_done(ActionKind kind) {
  return kind == ActionKind::isend_done || kind == ActionKind::irecv_done ||
         kind == ActionKind::icollective_done;
}

std::unordered_map<std::uint64_t, Completion> completions_of(const RankTrace& rank) {
  std::unordered_map<std::uint64_t, Completion> completions;
  for (std::uint32_t call = 0; call < rank.calls(); ++call)
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
      if (rank.operation[a] != 0 && (is_done(rank.kind[a]) || rank.kind[a] == ActionKind::cancelled))
        completions[rank.operation[a]] = {a, call, rank.kind[a] == ActionKind::cancelled};
  return completions;
}

struct Ends {
  std::vector<End> sends, receives;
  std::set<std::uint32_t> comms_with_gaps;  // on which collectives were left out
  std::uint64_t unresolved_receives = 0;  // wildcards that never completed: nobody knows what they waited for
};

struct CollectiveEnd {
  std::uint32_t comm;
  std::uint64_t sequence;
  std::int32_t rank;
  std::uint32_t action, done_action, call, done_call;
};

void collect(const Trace& trace, std::int32_t self, Ends& ends, std::vector<CollectiveEnd>& collectives) {
  const RankTrace& rank = trace.ranks[static_cast<std::size_t>(self)];
  const auto completions = completions_of(rank);
  const auto completion_of = [&](std::uint32_t action) {
    const auto found = completions.find(rank.operation[action]);
    return rank.operation[action] == 0 || found == completions.end() ? Completion{} : found->second;
  };
  std::unordered_map<std::uint32_t, std::uint64_t> sequence;  // collectives so far, by communicator
  for (std::uint32_t call = 0; call < rank.calls(); ++call) {
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
      const std::uint32_t comm = rank.comm[a];
      switch (rank.kind[a]) {
        case ActionKind::send:
          ends.sends.push_back({comm, self, rank.peer[a], rank.tag[a], a, a, call, call});
          break;
        case ActionKind::recv:
          ends.receives.push_back({comm, rank.peer[a], self, rank.tag[a], a, a, call, call});
          break;
        case ActionKind::isend: {
          const Completion done = completion_of(a);
          if (!done.cancelled)
            ends.sends.push_back({comm, self, rank.peer[a], rank.tag[a], a, done.action, call, done.call});
          break;
        }
        case ActionKind::irecv: {
          const Completion done = completion_of(a);
          if (done.cancelled) break;
          if (done.action != none)
            ends.receives.push_back(
                {comm, rank.peer[done.action], self, rank.tag[done.action], a, done.action, call, done.call});
          else if (rank.peer[a] >= 0 && rank.tag[a] >= 0)
            ends.receives.push_back({comm, rank.peer[a], self, rank.tag[a], a, none, call, none});
          else
            ++ends.unresolved_receives;
          break;
        }
        case ActionKind::left_out: {
          const std::uint8_t flags = rank.flags_of(a);
          const std::uint64_t count = rank.bytes[a];
          if ((flags & action_left_out_collectives) != 0) {
            sequence[comm] += count;
            ends.comms_with_gaps.insert(comm);
          } else if ((flags & action_left_out_sends) != 0) {
            ends.sends.push_back({comm, self, rank.peer[a], rank.tag[a], a, a, call, call, count, true});
          } else {
            ends.receives.push_back({comm, rank.peer[a], self, rank.tag[a], a, a, call, call, count, true});
          }
          break;
        }
        case ActionKind::collective:
          collectives.push_back({comm, sequence[comm]++, self, a, a, call, call});
          break;
        case ActionKind::icollective: {
          const Completion done = completion_of(a);
          collectives.push_back({comm, sequence[comm]++, self, a, done.action, call, done.call});
          break;
        }
        case ActionKind::isend_done:
        case ActionKind::irecv_done:
        case ActionKind::icollective_done:
        case ActionKind::test_failed:
        case ActionKind::cancelled:
        case ActionKind::sent_to:
          break;
      }
    }
  }
}

void join_messages(Trace& trace, Ends& ends) {
  const auto by_key = [](const End& a, const End& b) { return a.key() < b.key(); };
  std::stable_sort(ends.sends.begin(), ends.sends.end(), by_key);
  std::stable_sort(ends.receives.begin(), ends.receives.end(), by_key);
  struct Joined {
    Message message;
    std::uint32_t send_action, send_done_action, post_action, done_action;
  };
  std::vector<Joined> joined;
  std::uint64_t wrong_sizes = 0;
  auto send = ends.sends.begin();
  auto receive = ends.receives.begin();
  // Both sides of a channel count from its first message, so what is left of the ends being looked at begins
  // with the same number.
  const auto pass = [](auto& end, std::uint64_t count) {
    end->count -= std::min(count, end->count);
    if (end->count == 0) ++end;
  };
  while (send != ends.sends.end() || receive != ends.receives.end()) {
    if (receive == ends.receives.end() || (send != ends.sends.end() && send->key() < receive->key())) {
      if (!send->left_out) ++trace.unmatched_sends;
      ++send;
    } else if (send == ends.sends.end() || receive->key() < send->key()) {
      if (!receive->left_out) ++trace.unmatched_receives;
      ++receive;
    } else if (send->left_out || receive->left_out) {
      const std::uint64_t count = std::min(send->count, receive->count);
      if (!send->left_out || !receive->left_out) trace.half_left_out += count;
      pass(send, count);
      pass(receive, count);
    } else if (receive->done_action == none) {  // the message may have arrived, but nobody saw it
      ++trace.unmatched_sends;
      ++trace.unmatched_receives;
      ++send;
      ++receive;
    } else {
      const RankTrace& from = trace.ranks[static_cast<std::size_t>(send->source)];
      const RankTrace& to = trace.ranks[static_cast<std::size_t>(receive->destination)];
      Message message{
          send->source, send->destination, send->comm,    send->tag,         from.bytes[send->action],
          send->call,   send->done_call,   receive->call, receive->done_call};
      message.wildcard = (to.flags_of(receive->action) & (action_wildcard_source | action_wildcard_tag)) != 0;
      message.synchronous = (from.flags_of(send->action) & action_synchronous) != 0;
      if (to.bytes[receive->done_action] != message.bytes) ++wrong_sizes;
      joined.push_back({message, send->action, send->done_action, receive->action, receive->done_action});
      ++send;
      ++receive;
    }
  }
  std::sort(joined.begin(), joined.end(), [](const Joined& a, const Joined& b) {
    return std::tie(a.message.destination, a.done_action) < std::tie(b.message.destination, b.done_action);
  });
  trace.messages.reserve(joined.size());
  for (const Joined& j : joined) {
    const auto index = static_cast<std::uint32_t>(trace.messages.size());
    RankTrace& from = trace.ranks[static_cast<std::size_t>(j.message.source)];
    RankTrace& to = trace.ranks[static_cast<std::size_t>(j.message.destination)];
    from.match[j.send_action] = index;
    if (j.send_done_action != none) from.match[j.send_done_action] = index;
    to.match[j.post_action] = index;
    to.match[j.done_action] = index;
    to.peer[j.post_action] = j.message.source;
    to.tag[j.post_action] = j.message.tag;
    if (j.message.wildcard) ++trace.wildcard_receives;
    trace.messages.push_back(j.message);
  }
  if (wrong_sizes > 0)
    trace.diagnostics.add("message-size-mismatch", Severity::warning,
                          "the receiver recorded another size than the sender; the sender's is used",
                          wrong_sizes);
}

void join_collectives(Trace& trace, std::span<const CallMeaning> meanings, std::vector<CollectiveEnd>& ends,
                      const std::set<std::uint32_t>& comms_with_gaps) {
  // Order of the members within their communicator, so that members come in that order.
  std::vector<std::unordered_map<std::int32_t, std::size_t>> place(trace.comms.size());
  for (std::size_t c = 0; c < trace.comms.size(); ++c)
    for (std::size_t i = 0; i < trace.comms[c].ranks.size(); ++i)
      place[c].emplace(trace.comms[c].ranks[i], i);
  const auto place_of = [&](const CollectiveEnd& end) {
    const auto found = place[end.comm].find(end.rank);
    return found == place[end.comm].end() ? place[end.comm].size() : found->second;
  };
  std::stable_sort(ends.begin(), ends.end(), [&](const CollectiveEnd& a, const CollectiveEnd& b) {
    if (a.comm != b.comm || a.sequence != b.sequence)
      return std::tie(a.comm, a.sequence) < std::tie(b.comm, b.sequence);
    return place_of(a) < place_of(b);
  });
  // Fences and collective calls on files need not wait for all their members (MPI_MODE_NOPRECEDE,
  // MPI 3.1 13.4.1). One that a member left before the last one had entered did not, and is no collective of
  // the trace.
  const auto tolerance_ns = static_cast<std::int64_t>(2e9 * trace.clock_uncertainty_s);
  const auto did_not_wait = [&](std::size_t from, std::size_t to) {
    std::int64_t entered = std::numeric_limits<std::int64_t>::min(),
                 left = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = from; i < to; ++i) {
      const RankTrace& rank = trace.ranks[static_cast<std::size_t>(ends[i].rank)];
      entered = std::max(entered, rank.enter_ns[ends[i].call]);
      left = std::min(left, rank.leave_ns[ends[i].call]);
    }
    return left < entered - tolerance_ns;
  };
  std::uint64_t mismatched = 0, incomplete = 0, left_out = 0;
  for (std::size_t from = 0, to = 0; from < ends.size(); from = to) {
    const auto index = static_cast<std::uint32_t>(trace.collectives.size());
    Collective collective;
    collective.comm = ends[from].comm;
    const auto op_of = [&](const CollectiveEnd& end) {
      const RankTrace& rank = trace.ranks[static_cast<std::size_t>(end.rank)];
      const CollectiveOp op = op_of_region(trace, meanings, rank.region[end.call]);
      const std::int32_t tag = rank.tag[end.action];
      const bool started = op == CollectiveOp::other && tag > 0 && tag <= static_cast<std::int32_t>(op);
      return started ? static_cast<CollectiveOp>(tag - 1) : op;
    };
    collective.op = op_of(ends[from]);
    collective.root = trace.ranks[static_cast<std::size_t>(ends[from].rank)].peer[ends[from].action];
    for (to = from;
         to < ends.size() && ends[to].comm == ends[from].comm && ends[to].sequence == ends[from].sequence;
         ++to) {
      RankTrace& rank = trace.ranks[static_cast<std::size_t>(ends[to].rank)];
      const std::uint32_t action = ends[to].action, done = ends[to].done_action;
      if (op_of(ends[to]) != collective.op) ++mismatched;
      rank.match[action] = index;
      CollectiveMember member{ends[to].rank, ends[to].call, ends[to].done_call, rank.bytes[action],
                              rank.bytes_received[action]};
      if (done != none) {
        rank.match[done] = index;
        member.bytes_received = rank.bytes_received[done];
      }
      collective.members.push_back(member);
    }
    if ((collective.op == CollectiveOp::window || collective.op == CollectiveOp::file) &&
        did_not_wait(from, to)) {
      for (std::size_t i = from; i < to; ++i)
        trace.ranks[static_cast<std::size_t>(ends[i].rank)].match[ends[i].action] = none;
      continue;
    }
    if (collective.members.size() < trace.comms[collective.comm].ranks.size())
      ++(comms_with_gaps.contains(collective.comm) ? left_out : incomplete);
    trace.collectives.push_back(std::move(collective));
  }
  if (mismatched > 0)
    trace.diagnostics.add(
        "collective-mismatch", Severity::warning,
        "ranks entered different collectives in the same place of a communicator; calls are missing "
        "from the trace or the program is wrong",
        mismatched);
  if (left_out > 0)
    trace.diagnostics.add("collective-half-left-out", Severity::info,
                          "not every member recorded the collective, as wished; its waiting is not analysed",
                          left_out);
  if (incomplete > 0)
    trace.diagnostics.add(
        "incomplete-collective", Severity::data_loss,
        "not every member of the communicator is in the trace; a rank ended early or was not recorded",
        incomplete);
}

}  // namespace

void match(Trace& trace, std::span<const CallMeaning> meanings) {
  trace.messages.clear();
  trace.collectives.clear();
  trace.unmatched_sends = trace.unmatched_receives = trace.wildcard_receives = trace.half_left_out = 0;
  Ends ends;
  std::vector<CollectiveEnd> collectives;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    auto& column = trace.ranks[r].match;
    std::fill(column.begin(), column.end(), none);
    collect(trace, static_cast<std::int32_t>(r), ends, collectives);
  }
  join_messages(trace, ends);
  join_collectives(trace, meanings, collectives, ends.comms_with_gaps);
  trace.unmatched_receives += ends.unresolved_receives;
  if (trace.half_left_out > 0)
    trace.diagnostics.add("message-half-left-out", Severity::info,
                          "one end of a message was left out of the recording, as wished; the other end is "
                          "counted, its waiting is not analysed",
                          trace.half_left_out);
  if (trace.unmatched_sends > 0)
    trace.diagnostics.add(
        "unmatched-send", Severity::warning,
        "a message was sent and never received as far as the trace goes; look for a rank that ended "
        "early or for a missing receive",
        trace.unmatched_sends);
  if (trace.unmatched_receives > 0)
    trace.diagnostics.add(
        "unmatched-receive", Severity::warning,
        "a receive has no send in the trace; look for a rank that was not recorded or for a receive "
        "that never completed",
        trace.unmatched_receives);
}

}  // namespace ww

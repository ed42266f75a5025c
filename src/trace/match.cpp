#include "trace/match.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "base/parallel.hpp"
#include "trace/match_ends.hpp"

namespace ww {
namespace {

// In which action and call an operation that a rank began was completed or cancelled.
struct Completion {
  std::uint32_t action = none, call = none;
  bool cancelled = false;
};

bool is_done(ActionKind kind) {
  return kind == ActionKind::isend_done || kind == ActionKind::irecv_done ||
         kind == ActionKind::icollective_done;
}

// The completions of a rank's operations, whose serials mostly count from 1 on.
class Completions {
 public:
  Completions(const RankTrace& rank, const std::shared_ptr<ColumnStore>& store) : dense_(store) {
    std::uint64_t last = 0;
    for (const std::uint64_t operation : rank.operation) last = std::max(last, operation);
    if (last <= rank.actions()) dense_.resize(last + 1);
    for (std::uint32_t call = 0; call < rank.calls(); ++call)
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
        if (const std::uint64_t operation = rank.operation[a];
            operation != 0 && (is_done(rank.kind[a]) || rank.kind[a] == ActionKind::cancelled))
          (dense_.empty() ? sparse_[operation] : dense_[operation]) = {a, call,
                                                                       rank.kind[a] == ActionKind::cancelled};
  }
  Completion of(std::uint64_t operation) const {
    if (operation == 0) return {};
    if (!dense_.empty()) return dense_[operation];
    const auto found = sparse_.find(operation);
    return found == sparse_.end() ? Completion{} : found->second;
  }

 private:
  Column<Completion> dense_;
  std::unordered_map<std::uint64_t, Completion> sparse_;
};

// By key, in place; those of one key stay in the order of their actions, in which they come.
template <class One, class Key>
void order(Column<One>& ends, const Key& key) {
  const auto before = [&](const One& a, const One& b) {
    const auto of_a = key(a), of_b = key(b);
    return of_a < of_b || (of_a == of_b && a.action < b.action);
  };
  if (!std::is_sorted(ends.begin(), ends.end(), before)) std::sort(ends.begin(), ends.end(), before);
}

RankEnds collect(const Trace& trace, std::size_t self) {
  const RankTrace& rank = trace.ranks[self];
  RankEnds ends(trace.store);
  const Completions completions(rank, trace.store);
  std::unordered_map<std::uint32_t, std::uint64_t> sequence;  // collectives so far, by communicator
  for (std::uint32_t call = 0; call < rank.calls(); ++call) {
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
      const std::uint32_t comm = rank.comm[a];
      switch (rank.kind[a]) {
        case ActionKind::send:
          ends.sends.push_back({rank.peer[a], comm, rank.tag[a], a, a, call, call, false});
          break;
        case ActionKind::recv:
          ends.receives.push_back({rank.peer[a], comm, rank.tag[a], a, a, call, call, false});
          break;
        case ActionKind::isend: {
          const Completion done = completions.of(rank.operation[a]);
          if (!done.cancelled)
            ends.sends.push_back({rank.peer[a], comm, rank.tag[a], a, done.action, call, done.call, false});
          break;
        }
        case ActionKind::irecv: {
          const Completion done = completions.of(rank.operation[a]);
          if (done.cancelled) break;
          if (done.action != none)
            ends.receives.push_back({rank.peer[done.action], comm, rank.tag[done.action], a, done.action,
                                     call, done.call, false});
          else if (rank.peer[a] >= 0 && rank.tag[a] >= 0)
            ends.receives.push_back({rank.peer[a], comm, rank.tag[a], a, none, call, none, false});
          else
            ++ends.unresolved_receives;
          break;
        }
        case ActionKind::left_out: {
          const std::uint8_t flags = rank.flags_of(a);
          if ((flags & action_left_out_collectives) != 0) {
            sequence[comm] += rank.bytes[a];
            ends.comms_with_gaps.insert(comm);
          } else {
            ((flags & action_left_out_sends) != 0 ? ends.sends : ends.receives)
                .push_back({rank.peer[a], comm, rank.tag[a], a, a, call, call, true});
          }
          break;
        }
        case ActionKind::collective:
          ends.collectives.push_back({comm, a, a, call, call, sequence[comm]++});
          break;
        case ActionKind::icollective: {
          const Completion done = completions.of(rank.operation[a]);
          ends.collectives.push_back({comm, a, done.action, call, done.call, sequence[comm]++});
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
  const auto key = [](const MessageEnd& end) { return end.key(); };
  order(ends.sends, key);
  order(ends.receives, key);
  order(ends.collectives, [](const CollectiveEnd& end) { return end.comm; });
  return ends;
}

// A part of a rank's ends: those of one key of one peer.
struct Span {
  std::size_t from, to;
};

// The ends that have the peer of the one at `from`.
std::size_t end_of_peer(const Column<MessageEnd>& ends, std::size_t from) {
  const MessageEnd* const end =
      std::upper_bound(ends.begin() + from, ends.end(), ends[from].peer,
                       [](std::int32_t peer, const MessageEnd& one) { return peer < one.peer; });
  return static_cast<std::size_t>(end - ends.begin());
}

// The sends of one rank to another, and the receives there, both by communicator and tag.
class Channels {
 public:
  Channels(const Trace& trace, const std::vector<RankEnds>& all, std::size_t source, std::size_t destination,
           RankEnds& out)
      : from_(trace.ranks[source]),
        to_(trace.ranks[destination]),
        sends_(all[source].sends),
        receives_(all[destination].receives),
        out_(out) {}

  void join(Span sends, Span receives) {
    Side send{sends_, from_, sends.from, sends.to}, receive{receives_, to_, receives.from, receives.to};
    send.begin(), receive.begin();
    // Both sides of a channel count from its first message, so what is left of the ends being looked at begins
    // with the same number.
    while (!send.is_over() || !receive.is_over()) {
      if (receive.is_over() || (!send.is_over() && channel_of(send.end()) < channel_of(receive.end()))) {
        if (!send.end().left_out) ++out_.unmatched_sends;
        send.next();
      } else if (send.is_over() || channel_of(receive.end()) < channel_of(send.end())) {
        if (!receive.end().left_out) ++out_.unmatched_receives;
        receive.next();
      } else if (send.end().left_out || receive.end().left_out) {
        const std::uint64_t count = std::min(send.left, receive.left);
        if (!send.end().left_out || !receive.end().left_out) out_.half_left_out += count;
        send.pass(count), receive.pass(count);
      } else {
        if (receive.end().done_action == none) {  // the message may have arrived, but nobody saw it
          ++out_.unmatched_sends;
          ++out_.unmatched_receives;
        } else {
          out_.pairs.push_back({receive.end().done_action, static_cast<std::uint32_t>(send.at),
                                static_cast<std::uint32_t>(receive.at)});
        }
        send.next(), receive.next();
      }
    }
  }

 private:
  struct Side {
    const Column<MessageEnd>& ends;
    const RankTrace& rank;
    std::size_t at, to;
    std::uint64_t left = 0;  // of the one at `at`

    bool is_over() const { return at == to; }
    const MessageEnd& end() const { return ends[at]; }
    void begin() {
      if (!is_over()) left = end().left_out ? rank.bytes[end().action] : 1;
    }
    void next() {
      ++at;
      begin();
    }
    void pass(std::uint64_t count) {
      left -= count;
      if (left == 0) next();
    }
  };
  static std::tuple<const std::uint32_t&, const std::int32_t&> channel_of(const MessageEnd& end) {
    return std::tie(end.comm, end.tag);
  }

  const RankTrace &from_, &to_;
  const Column<MessageEnd>&sends_, &receives_;
  RankEnds& out_;
};

// Who sends to a rank: by source, where those sends are.
using Senders = std::vector<std::pair<std::size_t, Span>>;

std::vector<Senders> find_senders(std::vector<RankEnds>& all) {
  std::vector<Senders> senders(all.size());
  for (std::size_t source = 0; source < all.size(); ++source) {
    const Column<MessageEnd>& sends = all[source].sends;
    for (std::size_t from = 0, to = 0; from < sends.size(); from = to) {
      to = end_of_peer(sends, from);
      const std::int32_t peer = sends[from].peer;
      if (peer >= 0 && static_cast<std::size_t>(peer) < all.size())
        senders[static_cast<std::size_t>(peer)].push_back({source, {from, to}});
      else
        for (std::size_t i = from; i < to; ++i) all[source].unmatched_sends += sends[i].left_out ? 0 : 1;
    }
  }
  return senders;
}

void join_with(const Trace& trace, std::vector<RankEnds>& all, std::size_t self, const Senders& senders) {
  RankEnds& own = all[self];
  const Column<MessageEnd>& receives = own.receives;
  std::size_t from = 0;
  const auto unmatched_below = [&](std::int64_t source) {
    for (; from < receives.size() && receives[from].peer < source; ++from)
      own.unmatched_receives += receives[from].left_out ? 0 : 1;
  };
  for (const auto& [source, sends] : senders) {
    unmatched_below(static_cast<std::int64_t>(source));
    const bool is_here = from < receives.size() && receives[from].peer == static_cast<std::int32_t>(source);
    const std::size_t to = is_here ? end_of_peer(receives, from) : from;
    Channels(trace, all, source, self, own).join(sends, {from, to});
    from = to;
  }
  unmatched_below(std::numeric_limits<std::int64_t>::max());
  std::sort(own.pairs.begin(), own.pairs.end(), [](const RankEnds::Pair& a, const RankEnds::Pair& b) {
    return std::tie(a.done_action, a.receive) < std::tie(b.done_action, b.receive);
  });
}

// The messages to a rank, from `first` on. Of other ranks only the elements of its messages are touched.
void write_messages(Trace& trace, std::vector<RankEnds>& all, std::size_t self, std::size_t first) {
  RankEnds& own = all[self];
  RankTrace& to = trace.ranks[self];
  for (std::size_t i = 0; i < own.pairs.size(); ++i) {
    const MessageEnd& receive = own.receives[own.pairs[i].receive];
    const auto source = static_cast<std::size_t>(receive.peer);
    const MessageEnd& send = all[source].sends[own.pairs[i].send];
    RankTrace& from = trace.ranks[source];
    const auto index = static_cast<std::uint32_t>(first + i);
    Message& message = trace.messages[index];
    message = {receive.peer,
               static_cast<std::int32_t>(self),
               send.comm,
               send.tag,
               from.bytes[send.action],
               send.call,
               send.done_call,
               receive.call,
               receive.done_call};
    message.wildcard = (to.flags_of(receive.action) & (action_wildcard_source | action_wildcard_tag)) != 0;
    message.synchronous = (from.flags_of(send.action) & action_synchronous) != 0;
    if (message.wildcard) ++own.wildcards;
    if (to.bytes[receive.done_action] != message.bytes) ++own.wrong_sizes;
    from.match[send.action] = index;
    if (send.done_action != none) from.match[send.done_action] = index;
    to.match[receive.action] = index;
    to.match[receive.done_action] = index;
    to.peer[receive.action] = message.source;
    to.tag[receive.action] = message.tag;
  }
}

// work(rank) for all ranks, side by side.
void for_ranks(std::size_t ranks, std::size_t threads, auto work) {
  static_cast<void>(in_parallel(ranks, threads, [&](std::size_t r) -> Result<void> {
    work(r);
    return {};
  }));
}

}  // namespace

void match(Trace& trace, std::size_t threads) {
  trace.messages.clear();
  trace.collectives.clear();
  trace.members = CollectiveMembers(trace.store);
  trace.unmatched_sends = trace.unmatched_receives = trace.wildcard_receives = trace.half_left_out = 0;
  if (threads == 0) threads = processors();
  const std::size_t ranks = trace.ranks.size();
  std::vector<RankEnds> all(ranks, RankEnds(trace.store));
  for_ranks(ranks, threads, [&](std::size_t r) {
    Column<std::uint32_t>& column = trace.ranks[r].match;
    std::fill(column.begin(), column.end(), none);
    all[r] = collect(trace, r);
  });
  const std::vector<Senders> senders = find_senders(all);
  for_ranks(ranks, threads, [&](std::size_t r) { join_with(trace, all, r, senders[r]); });
  std::vector<std::size_t> first{0};
  for (const RankEnds& one : all) first.push_back(first.back() + one.pairs.size());
  trace.messages.expect(first.back());
  trace.messages.resize(first.back());
  for_ranks(ranks, threads, [&](std::size_t r) { write_messages(trace, all, r, first[r]); });
  // Collectives take memory, too.
  for (RankEnds& one : all)
    one.sends = one.receives = Column<MessageEnd>(), one.pairs = Column<RankEnds::Pair>();
  join_collectives(trace, all);
  std::uint64_t wrong_sizes = 0;
  for (const RankEnds& one : all) {
    trace.unmatched_sends += one.unmatched_sends;
    trace.unmatched_receives += one.unmatched_receives + one.unresolved_receives;
    trace.wildcard_receives += one.wildcards;
    trace.half_left_out += one.half_left_out;
    wrong_sizes += one.wrong_sizes;
  }
  if (wrong_sizes > 0) trace.diagnostics.add("message-size-mismatch", wrong_sizes);
  if (trace.half_left_out > 0) trace.diagnostics.add("message-half-left-out", trace.half_left_out);
  if (trace.unmatched_sends > 0) trace.diagnostics.add("unmatched-send", trace.unmatched_sends);
  if (trace.unmatched_receives > 0) trace.diagnostics.add("unmatched-receive", trace.unmatched_receives);
}

}  // namespace ww

#include "analyze/queues.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analyze/spread.hpp"

namespace ww {
namespace {

struct Stay {  // of one message in a queue
  std::int64_t from_ns, to_ns;
  std::uint64_t bytes;
};

struct Change {
  std::int64_t at_ns;
  std::int64_t messages, bytes;
};

struct Stays {
  Column<Stay> waiting, unexpected, outgoing;
  std::uint64_t messages = 0, unexpected_messages = 0, never_received = 0;  // sent in the part
  double wait_s = 0;  // of those of them that were received
};

// Changes in time; what leaves at an instant does so before others come.
Column<Change> changes_of(const Column<Stay>& stays) {
  Column<Change> changes = Column<Change>(stays.store());
  for (const Stay& stay : stays) {
    if (stay.to_ns <= stay.from_ns) continue;
    const auto bytes = static_cast<std::int64_t>(stay.bytes);
    changes.push_back({stay.from_ns, 1, bytes});
    changes.push_back({stay.to_ns, -1, -bytes});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.at_ns, a.messages) < std::tie(b.at_ns, b.messages);
  });
  return changes;
}

// `origin_ns`: the begin of the run.
QueueLength length_of(const Column<Stay>& stays, std::int64_t begin_ns, std::int64_t end_ns,
                      std::int64_t origin_ns) {
  QueueLength length;
  double messages_ns = 0, bytes_ns = 0;
  for (const Stay& stay : stays) {
    const double inside = static_cast<double>(
        std::max<std::int64_t>(0, std::min(stay.to_ns, end_ns) - std::max(stay.from_ns, begin_ns)));
    messages_ns += inside;
    bytes_ns += inside * static_cast<double>(stay.bytes);
  }
  if (end_ns > begin_ns) {
    length.mean = messages_ns / static_cast<double>(end_ns - begin_ns);
    length.mean_bytes = bytes_ns / static_cast<double>(end_ns - begin_ns);
  }
  std::int64_t messages = 0, bytes = 0;
  for (const Change& change : changes_of(stays)) {
    messages += change.messages;
    bytes += change.bytes;
    if (messages > static_cast<std::int64_t>(length.maximum)) {
      length.maximum = static_cast<std::uint64_t>(messages);
      length.maximum_at_s = seconds_of(change.at_ns - origin_ns);
    }
    length.maximum_bytes =
        std::max(length.maximum_bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
  }
  return length;
}

void over_time(const Column<Stay>& stays, std::int64_t begin_ns, std::int64_t end_ns, RankQueue& out) {
  TimeBins bins(begin_ns, end_ns, bins_over_time);
  for (const Stay& stay : stays) bins.add(stay.from_ns, stay.to_ns);
  for (std::size_t bin = 0; bin < bins.size(); ++bin)
    out.mean_over_time.push_back(bins.sum_ns(bin) / static_cast<double>(bins.to_ns(bin) - bins.from_ns(bin)));
  const Column<Change> changes = changes_of(stays);
  std::int64_t messages = 0;
  std::size_t next = 0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin) {
    // what ends with the bin before does not count in this one
    for (; next < changes.size() && changes[next].at_ns <= bins.from_ns(bin); ++next)
      messages += changes[next].messages;
    std::int64_t most = messages;
    for (; next < changes.size() && changes[next].at_ns < bins.to_ns(bin); ++next) {
      messages += changes[next].messages;
      most = std::max(most, messages);
    }
    out.maximum_over_time.push_back(static_cast<std::uint64_t>(most));
  }
}

std::int64_t sent_ns(const Trace& trace, const Message& message) {
  return trace.ranks[static_cast<std::size_t>(message.source)].enter_ns[message.send_call];
}

std::int64_t received_ns(const Trace& trace, const Message& message) {
  return trace.ranks[static_cast<std::size_t>(message.destination)].leave_ns[message.recv_done_call];
}

// Of messages from one rank to another, which queues count.
struct Counting {
  bool waiting, outgoing;
};
Counting counting(const Part& part, std::int32_t from, std::int32_t to) {
  return {part.has_rank(static_cast<std::size_t>(to)) && part.has_peer(from),
          part.has_rank(static_cast<std::size_t>(from)) && part.has_peer(to)};
}

// Of the part, which is not the whole, those that were received and that can be under way in a span.
void for_each_message(const Part& part, const Part::Range& range, const auto& take) {
  const Trace& trace = part.trace();
  for (std::size_t m = range.first; m < range.last; ++m) {
    const Message& message = trace.messages[m];
    if (message.recv_done_call != none &&
        part.takes_name(trace.ranks[static_cast<std::size_t>(message.source)], message.send_call))
      take(message);
  }
}

// take(rank, call, action) for sends that were never received, by rank, then in their order.
void for_each_unmatched_send(const Part& part, const auto& take) {
  const Trace& trace = part.trace();
  if (part.index() != nullptr) {
    for (const TraceIndex::Send& send : part.index()->unmatched_sends) {
      const RankTrace& rank = trace.ranks[send.rank];
      if (part.takes_name(rank, send.call)) take(send.rank, send.call, send.action);
    }
    return;
  }
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const RankTrace& rank = trace.ranks[r];
    for (std::uint32_t call = 0; call < rank.calls(); ++call)
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
        if ((rank.kind[a] == ActionKind::send || rank.kind[a] == ActionKind::isend) && rank.match[a] == none)
          take(r, call, a);
  }
}

std::vector<Stays> stays_by_rank(const Part& part) {
  const Trace& trace = part.trace();
  std::vector<Stays> stays(trace.ranks.size());
  for (Stays& of : stays) {
    of.waiting.keep_in(trace.store), of.unexpected.keep_in(trace.store);
    of.outgoing.keep_in(trace.store);
  }
  const auto add = [&](Column<Stay>& to, std::int64_t from_ns, std::int64_t to_ns, std::uint64_t bytes) {
    const Stay stay{part.cut(from_ns), part.cut(to_ns), bytes};
    if (part.is_whole() || stay.from_ns < stay.to_ns) to.push_back(stay);
  };
  const auto take = [&](const Message& message) {
    const Counting counts = counting(part, message.source, message.destination);
    if (!counts.waiting && !counts.outgoing) return;
    Stays& of = stays[static_cast<std::size_t>(message.destination)];
    const std::int64_t sent = sent_ns(trace, message), received = received_ns(trace, message);
    if (counts.outgoing)
      add(stays[static_cast<std::size_t>(message.source)].outgoing, sent, std::max(sent, received),
          message.bytes);
    if (!counts.waiting) return;
    const std::int64_t posted =
        trace.ranks[static_cast<std::size_t>(message.destination)].enter_ns[message.recv_post_call];
    add(of.waiting, sent, std::max(sent, received), message.bytes);
    if (posted > sent) add(of.unexpected, sent, posted, message.bytes);
    if (!part.has_instant(sent)) return;
    ++of.messages;
    if (posted > sent) ++of.unexpected_messages;
    of.wait_s += seconds_of(std::max<std::int64_t>(0, received - sent));
  };
  if (part.is_whole()) {
    for (const Message& message : trace.messages)
      if (message.recv_done_call != none) take(message);
  } else {
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) for_each_message(part, part.messages_to(r), take);
  }
  for_each_unmatched_send(part, [&](std::size_t r, std::uint32_t call, std::uint32_t a) {
    const RankTrace& rank = trace.ranks[r];
    if (rank.peer[a] < 0) return;
    const Counting counts = counting(part, static_cast<std::int32_t>(r), rank.peer[a]);
    if (counts.outgoing) add(stays[r].outgoing, rank.enter_ns[call], trace.end_ns(), rank.bytes[a]);
    if (!counts.waiting) return;
    Stays& of = stays[static_cast<std::size_t>(rank.peer[a])];
    add(of.waiting, rank.enter_ns[call], trace.end_ns(), rank.bytes[a]);
    if (!part.has_instant(rank.enter_ns[call])) return;
    ++of.messages;
    ++of.never_received;
  });
  return stays;
}

std::vector<WaitingMessage> waiting_at(const Part& part, std::int64_t at_ns) {
  const Trace& trace = part.trace();
  std::vector<WaitingMessage> out;
  const std::int64_t begin = trace.begin_ns();
  const auto take = [&](const Message& message) {
    const std::int64_t sent = sent_ns(trace, message), received = received_ns(trace, message);
    if (!counting(part, message.source, message.destination).waiting) return;
    if (sent <= at_ns && at_ns < received)
      out.push_back({message.source, message.destination, message.tag, message.bytes,
                     seconds_of(sent - begin), seconds_of(received - begin)});
  };
  if (part.is_whole()) {
    for (const Message& message : trace.messages)
      if (message.recv_done_call != none) take(message);
  } else {
    for (std::size_t r = 0; r < trace.ranks.size(); ++r)
      if (part.has_rank(r)) for_each_message(part, part.messages_to(r, at_ns, at_ns + 1), take);
  }
  for_each_unmatched_send(part, [&](std::size_t r, std::uint32_t call, std::uint32_t a) {
    const RankTrace& rank = trace.ranks[r];
    // Where to is not known of one that was sent to nobody.
    const bool counts = part.has_peer(static_cast<std::int32_t>(r)) &&
                        (rank.peer[a] < 0 || part.has_rank(static_cast<std::size_t>(rank.peer[a])));
    if (counts && rank.enter_ns[call] <= at_ns)
      out.push_back({static_cast<std::int32_t>(r), rank.peer[a], rank.tag[a], rank.bytes[a],
                     seconds_of(rank.enter_ns[call] - begin), std::nullopt});
  });
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.sent_s < b.sent_s; });
  return out;
}

}  // namespace

Queues find_queues(const Part& part, std::optional<double> at_s) {
  Queues out;
  const std::int64_t origin = part.trace().begin_ns(), begin = part.from_ns(), end = part.to_ns();
  const std::vector<Stays> all = stays_by_rank(part);
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const Stays& stays = all[r];
    RankQueue queue;
    queue.rank = static_cast<std::int32_t>(r);
    queue.messages = stays.messages;
    queue.unexpected_messages = stays.unexpected_messages;
    queue.never_received = stays.never_received;
    const std::uint64_t received = queue.messages - queue.never_received;
    if (received > 0) queue.mean_wait_s = stays.wait_s / static_cast<double>(received);
    queue.waiting = length_of(stays.waiting, begin, end, origin);
    queue.unexpected = length_of(stays.unexpected, begin, end, origin);
    queue.outgoing = length_of(stays.outgoing, begin, end, origin);
    over_time(stays.waiting, begin, end, queue);
    out.ranks.push_back(std::move(queue));
  }
  if (!out.ranks.empty() && !out.ranks[0].mean_over_time.empty())
    out.bin_s = part.elapsed_s() / static_cast<double>(out.ranks[0].mean_over_time.size());
  if (at_s) out.at = waiting_at(part, origin + std::llround(*at_s * 1e9));
  return out;
}

}  // namespace ww

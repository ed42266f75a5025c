#include "trace/causality.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"

namespace ww {
namespace {

// Beyond what a processor can be off by when it reads its counter, which others read too.
constexpr std::int64_t longest_reading_ns = 1000;

std::uint64_t count_violations(const Trace& trace, bool within_hosts = false) {
  std::uint64_t violations = 0;
  for (const Message& message : trace.messages) {
    const RankTrace& from = trace.ranks[static_cast<std::size_t>(message.source)];
    const RankTrace& to = trace.ranks[static_cast<std::size_t>(message.destination)];
    if (to.leave_ns[message.recv_done_call] < from.enter_ns[message.send_call] &&
        (!within_hosts || from.host == to.host))
      ++violations;
  }
  return violations;
}

class Mover {
 public:
  explicit Mover(Trace& trace) : trace_(trace), ranks_(trace.ranks.size()) {
    // Messages are in the order of their receivers and of their completions there.
    for (std::size_t m = 0; m < trace.messages.size(); ++m) {
      Cursor& rank = ranks_[static_cast<std::size_t>(trace.messages[m].destination)];
      if (rank.message == rank.messages_end) rank.message = m;
      rank.messages_end = m + 1;
    }
  }

  std::int64_t run() {
    std::vector<std::size_t> ready(ranks_.size());
    for (std::size_t r = 0; r < ready.size(); ++r) ready[r] = r, note_program(r);
    while (true) {
      while (!ready.empty()) {
        const std::size_t rank = ready.back();
        ready.pop_back();
        advance(rank, ready);
      }
      // Ranks that wait for one another in a circle contradict one another: one goes on without.
      std::size_t stuck = ranks_.size();
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        if (ranks_[r].call < trace_.ranks[r].calls() &&
            (stuck == ranks_.size() || time_of(r) < time_of(stuck)))
          stuck = r;
      if (stuck == ranks_.size()) break;
      take_call(stuck);
      wake(stuck, ready);
      ready.push_back(stuck);
    }
    std::int64_t largest = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      move_program(r);
      if (trace_.ranks[r].user.any()) move_user(r);
      largest = std::max(largest, ranks_[r].shift_ns);
    }
    return largest;
  }

 private:
  struct Waiter {
    std::uint32_t call;  // of the sender, that must be reached
    std::size_t rank;
  };
  // From this recorded time on everything is later by so much.
  struct Moved {
    std::int64_t from_ns, shift_ns;
  };
  struct Cursor {
    std::uint32_t call = 0;  // the next one; those before it have their final times
    std::int64_t shift_ns = 0;
    std::size_t message = 0, messages_end = 0;
    std::vector<Waiter> waiters;
    // Where the program begins and ends: at or before the entry, or else at the return, of these calls.
    std::uint32_t begin_call = none, end_call = none;
    std::int64_t begin_offset_ns = 0, end_offset_ns = 0;
    bool begins_at_return = false;
    std::vector<Moved> moved;  // by time
  };

  std::int64_t time_of(std::size_t rank) const {
    return trace_.ranks[rank].enter_ns[ranks_[rank].call] + ranks_[rank].shift_ns;
  }

  // Calls up to the first one that waits for a message of a rank that is not as far.
  void advance(std::size_t index, std::vector<std::size_t>& ready) {
    Cursor& rank = ranks_[index];
    while (rank.call < trace_.ranks[index].calls()) {
      for (std::size_t m = rank.message; m < rank.messages_end; ++m) {
        const Message& message = trace_.messages[m];
        if (message.recv_done_call > rank.call) break;
        Cursor& sender = ranks_[static_cast<std::size_t>(message.source)];
        if (sender.call >= message.send_call) continue;
        sender.waiters.push_back({message.send_call, index});
        return;
      }
      take_call(index);
      wake(index, ready);
    }
  }

  void take_call(std::size_t index) {
    Cursor& rank = ranks_[index];
    RankTrace& columns = trace_.ranks[index];
    std::int64_t leave = columns.leave_ns[rank.call] + rank.shift_ns;
    for (; rank.message < rank.messages_end; ++rank.message) {
      const Message& message = trace_.messages[rank.message];
      if (message.recv_done_call > rank.call) break;
      const auto source = static_cast<std::size_t>(message.source);
      std::int64_t sent = trace_.ranks[source].enter_ns[message.send_call];
      if (ranks_[source].call == message.send_call) sent += ranks_[source].shift_ns;
      if (ranks_[source].call >= message.send_call) leave = std::max(leave, sent);
    }
    const std::int64_t longer = leave - (columns.leave_ns[rank.call] + rank.shift_ns);
    columns.enter_ns[rank.call] += rank.shift_ns;
    columns.leave_ns[rank.call] = leave;
    if (longer > 0) rank.moved.push_back({leave - rank.shift_ns - longer, rank.shift_ns + longer});
    rank.shift_ns += longer;
    ++rank.call;
  }

  void wake(std::size_t index, std::vector<std::size_t>& ready) {
    Cursor& rank = ranks_[index];
    const auto reached = std::partition(rank.waiters.begin(), rank.waiters.end(),
                                        [&](const Waiter& waiter) { return waiter.call > rank.call; });
    for (auto waiter = reached; waiter != rank.waiters.end(); ++waiter) ready.push_back(waiter->rank);
    rank.waiters.erase(reached, rank.waiters.end());
  }

  void note_program(std::size_t index) {
    const RankTrace& columns = trace_.ranks[index];
    Cursor& rank = ranks_[index];
    for (std::uint32_t call = 0; call < columns.calls() && rank.begin_call == none; ++call)
      if (columns.leave_ns[call] >= columns.begin_ns) rank.begin_call = call;
    if (rank.begin_call != none) {
      rank.begins_at_return = columns.leave_ns[rank.begin_call] == columns.begin_ns;
      rank.begin_offset_ns = columns.begin_ns - columns.enter_ns[rank.begin_call];
    }
    const auto end = std::lower_bound(columns.enter_ns.begin(), columns.enter_ns.end(), columns.end_ns);
    if (end != columns.enter_ns.end()) {
      rank.end_call = static_cast<std::uint32_t>(end - columns.enter_ns.begin());
      rank.end_offset_ns = columns.end_ns - *end;
    }
  }

  void move_program(std::size_t index) {
    RankTrace& columns = trace_.ranks[index];
    const Cursor& rank = ranks_[index];
    if (rank.begin_call != none)
      columns.begin_ns = rank.begins_at_return ? columns.leave_ns[rank.begin_call]
                                               : columns.enter_ns[rank.begin_call] + rank.begin_offset_ns;
    columns.end_ns = rank.end_call == none ? columns.end_ns + rank.shift_ns
                                           : columns.enter_ns[rank.end_call] + rank.end_offset_ns;
    columns.end_ns = std::max(columns.end_ns, columns.begin_ns);
  }

  // What the program said stays where it was between its calls.
  void move_user(std::size_t index) {
    const auto& moved = ranks_[index].moved;
    const auto later = [&](std::int64_t time) {
      const auto after = std::upper_bound(moved.begin(), moved.end(), time,
                                          [](std::int64_t t, const Moved& one) { return t < one.from_ns; });
      return after == moved.begin() ? time : time + std::prev(after)->shift_ns;
    };
    trace_.ranks[index].user.move_times(later);
    for (NestedCall& call : trace_.ranks[index].nested) {
      call.enter_ns = later(call.enter_ns);
      call.leave_ns = later(call.leave_ns);
    }
  }

  Trace& trace_;
  std::vector<Cursor> ranks_;
};

}  // namespace

Causality restore_causality(Trace& trace) {
  Causality causality;
  causality.violations = count_violations(trace);
  if (causality.violations == 0) return causality;
  causality.largest_shift_ns = Mover(trace).run();
  causality.remaining = count_violations(trace);
  return causality;
}

std::uint64_t violations_within_hosts(const Trace& trace) {
  return count_violations(trace, true);
}

std::string in_words(const Causality& causality, std::uint64_t within_hosts, double clock_uncertainty_s) {
  const std::string shift = show_time(static_cast<double>(causality.largest_shift_ns) * 1e-9);
  std::string why;
  if (within_hosts < causality.violations)
    why = clock_uncertainty_s > 0
              ? fmt::format("the clocks of the hosts are known to {} only", show_time(clock_uncertainty_s))
              : std::string("the clocks of the hosts were not compared");
  if (within_hosts > 0) {
    why += fmt::format("{}{} of them within one host, whose ranks read one clock: ", why.empty() ? "" : "; ",
                       within_hosts);
    why +=
        causality.largest_shift_ns <= longest_reading_ns
            ? "a processor reads it some ten nanoseconds before or after the rest of its work"
            : "they were matched with other sends than their own (please report it with the trace), or the "
              "processors' counters are apart";
  }
  return fmt::format(
      "messages were received before they were sent: {}; times were moved forward by up to {}, after which "
      "{} such messages remain; waiting times shorter than that mean nothing",
      why, shift, causality.remaining);
}

}  // namespace ww

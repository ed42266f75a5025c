#include "analyze/delays.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace ww {
namespace {

// Of all waits together; a chain of n ranks costs n a wait.
constexpr std::uint64_t most_steps = 50'000'000;

class Player {
 public:
  Player(const Trace& trace, const Waits& waits, const std::vector<Needs>& needs,
         const std::vector<WaitingOfCalls>& waiting)
      : trace_(trace), waits_(waits), needs_(needs), waiting_(waiting), cursors_(trace.ranks.size()) {
    collectives_.keep_in(trace.store);
    collectives_.resize(trace.collectives.size());
    out_.ranks.resize(trace.ranks.size());
  }

  Delays play() {
    for (std::size_t r = 0; r < cursors_.size(); ++r) {
      cursors_[r].now_ns = cursors_[r].left_ns = trace_.ranks[r].begin_ns;
      out_.ranks[r].enter_ns.keep_in(trace_.store);
      out_.ranks[r].pauses.keep_in(trace_.store);
      out_.ranks[r].enter_ns.reserve(trace_.ranks[r].calls());
      ready_.push_back(r);
    }
    while (true) {
      while (!ready_.empty()) {
        const std::size_t rank = ready_.back();
        ready_.pop_back();
        advance(rank);
      }
      const std::size_t stuck = earliest_stuck();
      if (stuck == cursors_.size()) break;
      ++out_.not_followed;
      cursors_[stuck].forced = true;
      ready_.push_back(stuck);
    }
    finish();
    return std::move(out_);
  }

 private:
  struct Waiter {
    std::uint32_t call;  // that must have been entered
    std::size_t rank;
  };
  struct Cursor {
    std::uint32_t call = 0;                // the next one
    bool entered = false;                  // ... has been
    bool forced = false;                   // ... goes on without what it lacks
    std::size_t wait = 0;                  // the next of its waits
    std::int64_t now_ns = 0, left_ns = 0;  // there; and in the recording, when the last call returned
    std::int64_t enter_ns = 0;             // recorded, within the program
    std::vector<Waiter> waiters;
  };
  struct Meeting {  // a collective
    std::size_t entered = 0;
    std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
    std::int32_t last_rank = -1;
  };

  const Wait* wait_of(std::size_t rank) const {
    const auto& of = waits_[rank];
    const Cursor& at = cursors_[rank];
    return at.wait < of.size() && of[at.wait].call == at.call ? &of[at.wait] : nullptr;
  }

  void advance(std::size_t rank) {
    Cursor& at = cursors_[rank];
    const RankTrace& columns = trace_.ranks[rank];
    while (at.call < columns.calls()) {
      if (!at.entered) enter(rank);
      std::int64_t until_ns = at.now_ns;
      std::int32_t for_rank = -1;
      const bool waits = wait_of(rank) != nullptr;
      if (waits && !find_until(rank, until_ns, for_rank)) return;
      leave(rank, until_ns, for_rank);
      if (waits) ++at.wait;
    }
  }

  void enter(std::size_t rank) {
    Cursor& at = cursors_[rank];
    const RankTrace& columns = trace_.ranks[rank];
    // Calls of a rank's threads may overlap; nothing outside of the program counts.
    at.enter_ns = std::clamp(std::max(columns.enter_ns[at.call], at.left_ns), columns.begin_ns,
                             std::max(columns.begin_ns, columns.end_ns));
    at.now_ns += std::max<std::int64_t>(0, at.enter_ns - at.left_ns);
    at.entered = true;
    out_.ranks[rank].enter_ns.push_back(at.now_ns);
    for (std::uint32_t a = columns.first_action[at.call]; a < columns.first_action[at.call + 1]; ++a)
      if (begins_collective(columns.kind[a]) && columns.match[a] != none) meet(rank, columns.match[a]);
    const auto reached = std::partition(at.waiters.begin(), at.waiters.end(),
                                        [&](const Waiter& waiter) { return waiter.call > at.call; });
    for (auto waiter = reached; waiter != at.waiters.end(); ++waiter) ready_.push_back(waiter->rank);
    at.waiters.erase(reached, at.waiters.end());
  }

  static bool begins_collective(ActionKind kind) {
    return kind == ActionKind::collective || kind == ActionKind::icollective;
  }

  void meet(std::size_t rank, std::uint32_t index) {
    Meeting& meeting = collectives_[index];
    ++meeting.entered;
    if (meeting.last_rank < 0 || cursors_[rank].now_ns > meeting.last_ns) {
      meeting.last_ns = cursors_[rank].now_ns;
      meeting.last_rank = static_cast<std::int32_t>(rank);
    }
    if (meeting.entered < trace_.collectives[index].members.size()) return;
    const auto waiters = wait_for_all_.find(index);
    if (waiters == wait_for_all_.end()) return;
    ready_.insert(ready_.end(), waiters->second.begin(), waiters->second.end());
    wait_for_all_.erase(waiters);
  }

  // When all that the call needs has begun; false: it must wait for one that has not been played yet.
  bool find_until(std::size_t rank, std::int64_t& until_ns, std::int32_t& for_rank) {
    Cursor& at = cursors_[rank];
    const Needs& needs = needs_[rank];
    const auto take = [&](std::int64_t ns, std::int32_t of) {
      if (ns > until_ns) until_ns = ns, for_rank = of;
    };
    for (std::uint64_t n = needs.first[at.wait]; n < needs.first[at.wait + 1]; ++n) {
      const Need& need = needs.all[n];
      if (need.rank < 0) {
        Meeting& meeting = collectives_[need.call];
        if (meeting.entered < trace_.collectives[need.call].members.size() && !at.forced) {
          wait_for_all_[need.call].push_back(rank);
          return false;
        }
        take(meeting.last_ns, meeting.last_rank);
        continue;
      }
      const auto other = static_cast<std::size_t>(need.rank);
      const auto& entered = out_.ranks[other].enter_ns;
      if (need.call < entered.size()) {
        take(entered[need.call], need.rank);
      } else if (!at.forced) {
        cursors_[other].waiters.push_back({need.call, rank});
        return false;
      }
    }
    return true;
  }

  void leave(std::size_t rank, std::int64_t until_ns, std::int32_t for_rank) {
    Cursor& at = cursors_[rank];
    const RankTrace& columns = trace_.ranks[rank];
    const std::int64_t leave_ns =
        std::clamp(columns.leave_ns[at.call], at.enter_ns, std::max(at.enter_ns, columns.end_ns));
    const std::int64_t waited_ns =
        (*waiting_[rank].algorithmic_ns)[at.call] + (*waiting_[rank].service_ns)[at.call];
    Delays::Rank& out = out_.ranks[rank];
    if (until_ns > at.now_ns) out.pauses.push_back({at.now_ns, until_ns, for_rank, at.call});
    out.algorithm_ns += until_ns - at.now_ns;
    out.network_ns += waited_ns - (until_ns - at.now_ns);
    at.now_ns = until_ns + std::max<std::int64_t>(0, leave_ns - at.enter_ns - waited_ns);
    at.left_ns = std::max(at.left_ns, leave_ns);
    at.entered = at.forced = false;
    ++at.call;
  }

  std::size_t earliest_stuck() const {
    std::size_t stuck = cursors_.size();
    for (std::size_t r = 0; r < cursors_.size(); ++r)
      if (cursors_[r].call < trace_.ranks[r].calls() &&
          (stuck == cursors_.size() ||
           trace_.ranks[r].leave_ns[cursors_[r].call] < trace_.ranks[stuck].leave_ns[cursors_[stuck].call]))
        stuck = r;
    return stuck;
  }

  void finish() {
    std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max(), end_ns = begin_ns;
    for (std::size_t r = 0; r < cursors_.size(); ++r) {
      const RankTrace& columns = trace_.ranks[r];
      const std::int64_t ends_ns =
          cursors_[r].now_ns + std::max<std::int64_t>(0, columns.end_ns - cursors_[r].left_ns);
      Delays::Rank& out = out_.ranks[r];
      out.elapsed_ns = ends_ns - columns.begin_ns;
      if (out.network_ns < 0) out.algorithm_ns += out.network_ns, out.network_ns = 0;  // clocks disagree
      end_ns = r == 0 ? ends_ns : std::max(end_ns, ends_ns);
      begin_ns = std::min(begin_ns, columns.begin_ns);
    }
    out_.elapsed_ns = cursors_.empty() ? 0 : end_ns - begin_ns;
  }

  const Trace& trace_;
  const Waits& waits_;
  const std::vector<Needs>& needs_;
  const std::vector<WaitingOfCalls>& waiting_;
  std::vector<Cursor> cursors_;
  Column<Meeting> collectives_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> wait_for_all_;  // by collective
  std::vector<std::size_t> ready_;
  Delays out_;
};

class Follower {
 public:
  explicit Follower(const Delays& delays) : delays_(delays) { out_.ranks.resize(delays.ranks.size()); }

  DelayCosts run() {
    for (const Delays::Rank& rank : delays_.ranks)
      for (const Delays::Pause& pause : rank.pauses) follow(pause);
    return std::move(out_);
  }

  DelayCosts run(const Part& part, const std::vector<WaitingOfCalls>& waiting) {
    for (std::size_t r = 0; r < delays_.ranks.size(); ++r) {
      if (!part.has_rank(r)) continue;
      const RankTrace& rank = part.trace().ranks[r];
      const auto [first, last] = pauses_in(delays_, part, r);
      for (std::size_t p = first; p < last; ++p)
        if (const Delays::Pause& pause = delays_.ranks[r].pauses[p]; part.takes(rank, pause.call))
          follow(cut_to(part, rank, waiting[r], pause));
    }
    return std::move(out_);
  }

 private:
  // Spans of a wait with the rank that is waited for then: what of it that rank waits itself goes on to whom
  // it waits for.
  void follow(const Delays::Pause& first) {
    spans_.assign(1, {first, true});
    while (!spans_.empty()) {
      const auto [span, direct] = spans_.back();
      spans_.pop_back();
      if (span.for_rank < 0) continue;
      const auto& pauses = delays_.ranks[static_cast<std::size_t>(span.for_rank)].pauses;
      std::int64_t own_ns = span.to_ns - span.from_ns;
      auto pause = std::upper_bound(pauses.begin(), pauses.end(), span.from_ns,
                                    [](std::int64_t at, const Delays::Pause& one) { return at < one.to_ns; });
      for (; pause != pauses.end() && pause->from_ns < span.to_ns; ++pause) {
        const std::int64_t from_ns = std::max(pause->from_ns, span.from_ns),
                           to_ns = std::min(pause->to_ns, span.to_ns);
        own_ns -= to_ns - from_ns;
        if (++steps_ > most_steps)
          out_.not_followed_ns += to_ns - from_ns;
        else
          spans_.push_back({{from_ns, to_ns, pause->for_rank, pause->call}, false});
      }
      DelayCost& cost = out_.ranks[static_cast<std::size_t>(span.for_rank)];
      (direct ? cost.direct_ns : cost.propagated_ns) += own_ns;
    }
  }

  struct Span {
    Delays::Pause pause;
    bool direct;
  };
  const Delays& delays_;
  DelayCosts out_;
  std::vector<Span> spans_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Delays follow_delays(const Trace& trace, const Waits& waits, const std::vector<Needs>& needs,
                     const std::vector<WaitingOfCalls>& waiting) {
  return Player(trace, waits, needs, waiting).play();
}

DelayCosts costs_of(const Delays& delays) {
  return Follower(delays).run();
}

DelayCosts costs_of(const Delays& delays, const Part& part, const std::vector<WaitingOfCalls>& waiting) {
  return Follower(delays).run(part, waiting);
}

Part::Range pauses_in(const Delays& delays, const Part& part, std::size_t rank) {
  const auto& pauses = delays.ranks[rank].pauses;
  const auto of_call = [&](std::size_t call) {
    const auto found =
        std::lower_bound(pauses.begin(), pauses.end(), call,
                         [](const Delays::Pause& pause, std::size_t number) { return pause.call < number; });
    return static_cast<std::size_t>(found - pauses.begin());
  };
  const Part::Range calls = part.calls(rank);
  return {of_call(calls.first), of_call(calls.last)};
}

Delays::Pause cut_to(const Part& part, const RankTrace& rank, const WaitingOfCalls& waiting,
                     const Delays::Pause& pause) {
  const std::int64_t waited_ns = (*waiting.algorithmic_ns)[pause.call] + (*waiting.service_ns)[pause.call];
  const auto [from, to] = part.share_of(rank, pause.call, waited_ns, pause.to_ns - pause.from_ns);
  return {pause.from_ns + from, pause.from_ns + to, pause.for_rank, pause.call};
}

}  // namespace ww

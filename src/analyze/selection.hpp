// What part of a trace is asked about: a span of time, ranks, calls, peers and threads.
//
// Times are cut to the span. What is counted (calls, messages, values) belongs to the span in which it begins:
// a call where it is entered, a message where its send begins. So the answers for spans that follow one another
// add up to that for all of them, and so do those for ranks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace ww {

struct NumberRange {
  std::uint32_t first = 0, last = 0;  // both included
};

// As a user gives it. What is empty is not restricted.
struct Selection {
  // [from, to), since the begin of the program proper. What begins before the program (MPI_Init) belongs to a
  // span from 0 or without `from_s`, what begins after its end to a span that reaches it.
  std::optional<double> from_s, to_s;
  std::vector<NumberRange> ranks;
  // Names of calls ("MPI_Send") and classes as `record --calls` has them ("p2p").
  std::vector<std::string> calls;
  // Messages to and from these; calls that send to them or receive from them, and collectives with them.
  std::vector<NumberRange> peers;
  std::vector<NumberRange> threads;  // as RankTrace::thread has them

  bool any() const {
    return from_s || to_s || !ranks.empty() || !calls.empty() || !peers.empty() || !threads.empty();
  }
};

// "0-3,7". Error: not such a list.
Result<std::vector<NumberRange>> parse_numbers(const std::string& text);
// "1.5 s to 2 s, ranks 0-3,7, calls p2p"; numbers and units as they were given.
std::string describe(const Selection& selection);
nlohmann::json to_json(const Selection& selection);  // what is restricted

// What is found once of a trace, so that a span is answered without a pass over all of it: one pass over its
// columns, with nothing kept by event but for ranks whose threads' calls overlap.
struct TraceIndex {
  explicit TraceIndex(const Trace& trace);

  struct Rank {
    Column<std::int64_t> left_ns;  // until when calls up to each had returned; empty: as leave_ns
    // Of messages to it, from the begin of the send to the receive's end; below 0 where clocks disagree.
    std::int64_t longest_flight_ns = 0, shortest_flight_ns = 0;
  };
  struct Send {
    std::uint32_t rank, call, action;
  };
  std::vector<Rank> ranks;
  Column<Send> unmatched_sends;    // by rank, then in their order
  std::vector<bool> regions_used;  // by region: has a call of the trace that name?
  std::uint32_t threads = 1;       // one more than the largest number of one
};

// The part of a trace that a selection names. Copies are cheap, and look at the trace.
class Part {
 public:
  Part(const Trace& trace) : trace_(&trace) {}  // NOLINT: a trace is the whole of itself
  // Errors, each with a remedy: no such rank, peer or thread; an empty span, or one after the end; a call that
  // the trace does not have. `index` of the trace must outlive it.
  static Result<Part> of(const Trace& trace, const TraceIndex& index, const Selection& selection);

  const Trace& trace() const { return *trace_; }
  const TraceIndex* index() const { return index_; }  // nullptr: the whole
  const Selection& selection() const;
  bool is_whole() const { return index_ == nullptr; }
  bool of_calls() const { return of_calls_; }  // not all that a rank called in the span
  std::int64_t from_ns() const;                // of the program proper, within the span
  std::int64_t to_ns() const;
  double elapsed_s() const { return static_cast<double>(to_ns() - from_ns()) * 1e-9; }

  bool has_rank(std::size_t rank) const { return ranks_.empty() || ranks_[rank]; }
  bool has_peer(std::int32_t peer) const {
    return peers_.empty() || (peer >= 0 && peers_[static_cast<std::size_t>(peer)]);
  }
  bool has_thread(std::uint32_t thread) const { return contains(threads_, thread); }
  bool has_instant(std::int64_t ns) const { return ns >= open_from_ns_ && ns < open_to_ns_; }

  bool is_past(std::int64_t ns) const { return ns < open_from_ns_; }  // before the span

  struct Range {
    std::size_t first = 0, last = 0;  // without the last
  };
  // All calls of the rank that reach into the span or begin in it, by binary search.
  Range calls(std::size_t rank) const;
  // Of those: is it of a selected name and thread (and, takes, is a selected peer in it)?
  bool takes_name(const RankTrace& rank, std::size_t call) const {
    return !of_calls_ ||
           ((regions_.empty() || regions_[rank.region[call]]) && has_thread(rank.thread_of(call)));
  }
  bool takes(const RankTrace& rank, std::size_t call) const {
    return !of_calls_ || (takes_name(rank, call) && (peers_.empty() || deals_with_peers(rank, call)));
  }
  bool begins(const RankTrace& rank, std::size_t call) const { return has_instant(rank.enter_ns[call]); }
  // Counts here: begins in the span, and is selected.
  bool counts(const RankTrace& rank, std::size_t call) const {
    return begins(rank, call) && takes(rank, call);
  }

  // The rank's program proper within the span; `to` is at least `from`.
  std::pair<std::int64_t, std::int64_t> within(const RankTrace& rank) const;
  // What of [from, to) lies in the rank's program proper, and in the span.
  std::int64_t clipped(const RankTrace& rank, std::int64_t from, std::int64_t to) const;
  std::int64_t cut(std::int64_t ns) const { return std::clamp(ns, open_from_ns_, open_to_ns_); }
  // What of [from, to) lies in the span, in the program or not.
  std::int64_t in_span(std::int64_t from, std::int64_t to) const;

  // A call's waiting stands at its begin: first what is algorithmic, then service.
  struct Blocked {
    std::int64_t algorithmic_ns = 0, service_ns = 0;
    std::int64_t both_ns() const { return algorithmic_ns + service_ns; }
  };
  Blocked blocked(const RankTrace& rank, std::size_t call, const Blocked& whole) const;
  // Of an amount that is spread evenly over the call's waiting, from where to where it lies in the span; the
  // whole where the call begins if it did not wait.
  std::pair<std::int64_t, std::int64_t> share_of(const RankTrace& rank, std::size_t call,
                                                 std::int64_t blocked_ns, std::int64_t amount) const;

  // Those to the rank that can be under way in [from, to), as a range of
  // Trace::messages.
  Range messages_to(std::size_t rank, std::int64_t from_ns, std::int64_t to_ns) const;
  // The same in the span.
  Range messages_to(std::size_t rank) const { return messages_to(rank, open_from_ns_, open_to_ns_); }

  // The same of all ranks: what others did for those that are selected.
  Part of_all_ranks() const;

 private:
  static bool contains(const std::vector<NumberRange>& ranges, std::uint32_t number);
  bool deals_with_peers(const RankTrace& rank, std::size_t call) const;
  std::int64_t waiting_from(const RankTrace& rank, std::size_t call) const;

  const Trace* trace_;
  const TraceIndex* index_ = nullptr;
  std::shared_ptr<const Selection> selection_;
  bool of_calls_ = false;
  std::int64_t open_from_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t open_to_ns_ = std::numeric_limits<std::int64_t>::max();
  std::vector<bool> ranks_, peers_, regions_;  // empty: all
  std::vector<NumberRange> threads_;
};

// Nanoseconds as the seconds of results.
constexpr double seconds_of(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

}  // namespace ww

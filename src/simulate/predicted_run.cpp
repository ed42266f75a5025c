#include "simulate/predicted_run.hpp"

#include <algorithm>
#include <cmath>

namespace ww::simulate {

void RunNotes::call_begins(std::int32_t rank, std::uint32_t, double at_s) {
  ranks_[static_cast<std::size_t>(rank)].enter_s.push_back(at_s);
}

void RunNotes::call_ends(std::int32_t rank, double at_s) {
  ranks_[static_cast<std::size_t>(rank)].leave_s.push_back(at_s);
}

void RunNotes::message(MessageEvent what, std::uint32_t message, double at_s) {
  if (message >= ways_.size()) return;
  if (what == MessageEvent::left) ways_[message].left_s = at_s;
  if (what == MessageEvent::arrived) ways_[message].arrived_s = at_s;
}

void RunNotes::blocked(const Blocked& wait) {
  Rank& rank = ranks_[static_cast<std::size_t>(wait.rank)];
  rank.waits.push_back(wait);
  rank.call_of_wait.push_back(static_cast<std::uint32_t>(rank.enter_s.size() - 1));
}

namespace {

// Of one rank: its recorded times to those of the replay. It does not fall, and what lies between the ends of
// calls keeps its proportion.
class Times {
 public:
  explicit Times(std::int64_t origin_ns) : origin_ns_(origin_ns) {}
  void add(std::int64_t recorded_ns, double replayed_s) { add(recorded_ns, at(replayed_s)); }
  std::int64_t at(double replayed_s) const { return origin_ns_ + std::llround(replayed_s * 1e9); }

  std::int64_t operator()(std::int64_t recorded_ns) const {
    const auto next =
        std::upper_bound(knots_.begin(), knots_.end(), recorded_ns,
                         [](std::int64_t time, const Knot& knot) { return time < knot.recorded_ns; });
    // Before the program and after it time passes as recorded.
    if (next == knots_.begin()) return recorded_ns + next->replayed_ns - next->recorded_ns;
    const Knot& before = *(next - 1);
    const std::int64_t since = recorded_ns - before.recorded_ns;
    if (next == knots_.end()) return before.replayed_ns + since;
    const double part =
        static_cast<double>(since) / static_cast<double>(next->recorded_ns - before.recorded_ns);
    return before.replayed_ns +
           std::llround(part * static_cast<double>(next->replayed_ns - before.replayed_ns));
  }

 private:
  struct Knot {
    std::int64_t recorded_ns, replayed_ns;
  };
  void add(std::int64_t recorded_ns, std::int64_t replayed_ns) {
    if (!knots_.empty()) {
      recorded_ns = std::max(recorded_ns, knots_.back().recorded_ns);
      replayed_ns = std::max(replayed_ns, knots_.back().replayed_ns);
    }
    knots_.push_back({recorded_ns, replayed_ns});
  }
  std::int64_t origin_ns_;
  std::vector<Knot> knots_;
};

void move(RankTrace& rank, const RunNotes::Rank& noted, double begin_s, double end_s,
          std::int64_t origin_ns) {
  const auto first = static_cast<std::size_t>(
      std::lower_bound(rank.enter_ns.begin(), rank.enter_ns.end(), rank.begin_ns) - rank.enter_ns.begin());
  const std::size_t last = first + noted.enter_s.size();
  WW_INVARIANT(last <= rank.calls() && noted.leave_s.size() == noted.enter_s.size());
  Times times(origin_ns);
  times.add(rank.begin_ns, begin_s);
  for (std::size_t call = first; call < last; ++call) {
    times.add(rank.enter_ns[call], noted.enter_s[call - first]);
    times.add(std::min(rank.leave_ns[call], rank.end_ns), noted.leave_s[call - first]);
  }
  times.add(rank.end_ns, end_s);
  rank.user.move_times(times);
  for (std::size_t call = 0; call < rank.calls(); ++call) {
    const bool replayed = call >= first && call < last;
    rank.enter_ns[call] = replayed ? times.at(noted.enter_s[call - first]) : times(rank.enter_ns[call]);
    rank.leave_ns[call] = replayed ? times.at(noted.leave_s[call - first]) : times(rank.leave_ns[call]);
  }
  rank.begin_ns = times.at(begin_s);
  rank.end_ns = times.at(end_s);
  rank.waits.clear();
  for (std::size_t i = 0; i < noted.waits.size(); ++i) {
    const Blocked& wait = noted.waits[i];
    rank.waits.push_back({static_cast<std::uint32_t>(first) + noted.call_of_wait[i], times.at(wait.from_s),
                          times.at(wait.begun_s), times.at(wait.to_s), wait.by});
  }
}

void note_ways(Trace& trace, const RunNotes& notes, std::int64_t origin_ns) {
  for (RankTrace& rank : trace.ranks) {
    rank.ways.clear();
    for (std::uint32_t a = 0; a < rank.actions(); ++a) {
      if ((rank.kind[a] != ActionKind::send && rank.kind[a] != ActionKind::isend) || rank.match[a] == none)
        continue;
      const RunNotes::Way& way = notes.ways()[rank.match[a]];
      if (way.left_s < 0 || way.arrived_s < 0) continue;
      rank.ways.push_back(
          {a, origin_ns + std::llround(way.left_s * 1e9), origin_ns + std::llround(way.arrived_s * 1e9)});
    }
  }
}

template <class T>
Column<T> look_at(const Column<T>& column) {
  return Column<T>::view({column.data(), column.size()});
}

template <class T>
Column<T> copy_of(const Column<T>& column, const std::shared_ptr<ColumnStore>& store) {
  Column<T> out(store);
  out.append(column.begin(), column.end());
  return out;
}

// Its times are its own. Calls inside of others are left out: no replay says when they were.
RankTrace look_at(const RankTrace& rank, const std::shared_ptr<ColumnStore>& store) {
  RankTrace out;
  out.host = rank.host;
  out.address = rank.address;
  out.begin_ns = rank.begin_ns;
  out.end_ns = rank.end_ns;
  out.enter_ns = copy_of(rank.enter_ns, store);
  out.leave_ns = copy_of(rank.leave_ns, store);
  out.region = look_at(rank.region);
  out.first_action = look_at(rank.first_action);
  out.kind = look_at(rank.kind);
  out.peer = look_at(rank.peer);
  out.tag = look_at(rank.tag);
  out.comm = look_at(rank.comm);
  out.bytes = look_at(rank.bytes);
  out.bytes_received = look_at(rank.bytes_received);
  out.operation = look_at(rank.operation);
  out.match = look_at(rank.match);
  out.flags = look_at(rank.flags);
  out.thread = look_at(rank.thread);
  out.user.regions = copy_of(rank.user.regions, store);
  out.user.values = copy_of(rank.user.values, store);
  out.user.markers = copy_of(rank.user.markers, store);
  return out;
}

}  // namespace

Trace predicted_trace(Trace trace, const RunNotes& notes, const Simulated& simulated) {
  const std::int64_t origin_ns = trace.begin_ns();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const SimulatedRank& rank = simulated.ranks[r];
    move(trace.ranks[r], notes.ranks()[r], rank.begin_s, rank.begin_s + rank.elapsed_s, origin_ns);
  }
  note_ways(trace, notes, origin_ns);
  trace.predicted = true;
  trace.clock_uncertainty_s = 0;
  return trace;
}

Trace predicted_view(const Trace& recorded, const RunNotes& notes, const Simulated& simulated) {
  Trace trace;
  trace.source = recorded.source;
  trace.calls_timed = recorded.calls_timed;
  trace.regions = recorded.regions;
  trace.meanings = recorded.meanings;
  trace.user = recorded.user;
  for (const RankTrace& rank : recorded.ranks) trace.ranks.push_back(look_at(rank, recorded.store));
  trace.comms = recorded.comms;
  trace.messages = look_at(recorded.messages);
  trace.collectives = look_at(recorded.collectives);
  trace.members = recorded.members;
  trace.store = recorded.store;
  trace.unmatched_sends = recorded.unmatched_sends;
  trace.unmatched_receives = recorded.unmatched_receives;
  trace.wildcard_receives = recorded.wildcard_receives;
  trace.half_left_out = recorded.half_left_out;
  trace.volumes_told = recorded.volumes_told;
  trace.events = recorded.events;
  trace.causality = recorded.causality;
  trace.dilation = recorded.dilation;
  trace.diagnostics = recorded.diagnostics;
  trace.run = recorded.run;
  return predicted_trace(std::move(trace), notes, simulated);
}

}  // namespace ww::simulate

#include "simulate/predicted_run.hpp"

#include <algorithm>

#include "simulate/replayed_times.hpp"

namespace ww::simulate {

RunNotes::RunNotes(std::size_t ranks, std::size_t messages, std::shared_ptr<ColumnStore> store)
    : ranks_(ranks), ways_(std::move(store)) {
  ways_.resize(messages);
  for (Rank& rank : ranks_) {
    rank.enter_s.keep_in(ways_.store());
    rank.leave_s.keep_in(ways_.store());
    rank.waits.keep_in(ways_.store());
    rank.call_of_wait.keep_in(ways_.store());
  }
}

namespace {

void move(RankTrace& rank, const RunNotes::Rank& noted, double begin_s, double end_s,
          std::int64_t origin_ns) {
  const ReplayedCalls calls = replayed_calls(rank, noted);
  const auto [first, last] = calls;
  ReplayedTimes times(origin_ns);
  add_program(times, rank, noted, calls, begin_s, end_s);
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
      rank.ways.push_back({a, origin_ns + whole_ns(way.left_s), origin_ns + whole_ns(way.arrived_s)});
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

// Calls inside of others are left out: no replay says when they were.
RankTrace look_at(const RankTrace& rank) {
  RankTrace out;
  out.host = rank.host;
  out.address = rank.address;
  out.begin_ns = rank.begin_ns;
  out.end_ns = rank.end_ns;
  out.enter_ns = look_at(rank.enter_ns);
  out.leave_ns = look_at(rank.leave_ns);
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
  out.user.regions = look_at(rank.user.regions);
  out.user.values = look_at(rank.user.values);
  out.user.markers = look_at(rank.user.markers);
  return out;
}

// Times of its own.
void copy_times(RankTrace& rank, const std::shared_ptr<ColumnStore>& store) {
  rank.enter_ns = copy_of(rank.enter_ns, store);
  rank.leave_ns = copy_of(rank.leave_ns, store);
  rank.user.regions = copy_of(rank.user.regions, store);
  rank.user.values = copy_of(rank.user.values, store);
  rank.user.markers = copy_of(rank.user.markers, store);
}

Trace look_at(const Trace& recorded) {
  Trace trace;
  trace.source = recorded.source;
  trace.calls_timed = recorded.calls_timed;
  trace.regions = recorded.regions;
  trace.meanings = recorded.meanings;
  trace.user = recorded.user;
  for (const RankTrace& rank : recorded.ranks) trace.ranks.push_back(look_at(rank));
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
  return trace;
}

void call_predicted(Trace& trace) {
  trace.predicted = true;
  trace.clock_uncertainty_s = 0;
}

}  // namespace

Trace predicted_trace(Trace trace, const RunNotes& notes, const Simulated& simulated) {
  const std::int64_t origin_ns = trace.begin_ns();
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const SimulatedRank& rank = simulated.ranks[r];
    move(trace.ranks[r], notes.ranks()[r], rank.begin_s, rank.begin_s + rank.elapsed_s, origin_ns);
  }
  note_ways(trace, notes, origin_ns);
  call_predicted(trace);
  return trace;
}

Trace predicted_view(const Trace& recorded, const RunNotes& notes, const Simulated& simulated) {
  Trace trace = look_at(recorded);
  for (RankTrace& rank : trace.ranks) copy_times(rank, recorded.store);
  return predicted_trace(std::move(trace), notes, simulated);
}

Trace predicted_frame(const Trace& recorded, const Simulated& simulated) {
  Trace trace = look_at(recorded);
  const ReplayedTimes times(recorded.begin_ns());
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const SimulatedRank& rank = simulated.ranks[r];
    trace.ranks[r].begin_ns = times.at(rank.begin_s);
    trace.ranks[r].end_ns = times.at(rank.begin_s + rank.elapsed_s);
  }
  call_predicted(trace);
  return trace;
}

}  // namespace ww::simulate

#include "view/noted_source.hpp"

#include <algorithm>
#include <limits>

namespace ww::view {

using simulate::ReplayedCalls;
using simulate::ReplayedTimes;
using simulate::RunNotes;

NotedRun::NotedRun(std::shared_ptr<const Trace> of, std::size_t messages)
    : recorded(std::move(of)), notes(recorded->ranks.size(), messages, recorded->store) {
  for (std::size_t rank = 0; rank < recorded->ranks.size(); ++rank)
    notes.expect(rank, recorded->ranks[rank].calls());
}

NotedSource::NotedSource(std::shared_ptr<const NotedRun> run)
    : run_(std::move(run)), clock_(run_->recorded->begin_ns()) {
  const std::vector<SimulatedRank>& simulated = run_->simulated.ranks;
  begin_ns_ = clock_.at(simulated.empty() ? 0 : simulated.front().begin_s);
  for (const SimulatedRank& rank : simulated) begin_ns_ = std::min(begin_ns_, clock_.at(rank.begin_s));
  for (std::size_t rank = 0; rank < simulated.size(); ++rank) {
    ranks_.push_back(prepared(rank));
    const OfRank& of = ranks_.back();
    programs_.push_back({of.begin_ns - begin_ns_, std::max(of.begin_ns, of.end_ns) - begin_ns_});
  }
}

namespace {

// When recorded calls outside of the program were, in order.
std::vector<std::int64_t> times_outside(const RankTrace& recorded, const ReplayedCalls& calls) {
  std::vector<std::int64_t> times;
  for (std::size_t call = 0; call < recorded.calls(); ++call) {
    if (call == calls.first) call = calls.last;
    if (call >= recorded.calls()) break;
    times.push_back(recorded.enter_ns[call]);
    times.push_back(recorded.leave_ns[call]);
  }
  std::sort(times.begin(), times.end());
  return times;
}

// Whether all of these times lie before the rank's calls in the program and behind them: then its begin and end tell them.
bool are_beside_program(const std::vector<std::int64_t>& times, const RankTrace& recorded,
                        const RunNotes::Rank& noted, const ReplayedCalls& calls, double end_s) {
  const bool begins_alone = calls.first == calls.last || recorded.enter_ns[calls.first] > recorded.begin_ns;
  const bool ends_last = noted.leave_s.empty() || noted.leave_s[noted.leave_s.size() - 1] <= end_s;
  return begins_alone && ends_last && std::all_of(times.begin(), times.end(), [&](std::int64_t at_ns) {
           return at_ns <= recorded.begin_ns || at_ns >= recorded.end_ns;
         });
}

// Of each block of a rank's calls the first of its waits.
std::vector<std::uint32_t> waits_of_blocks(std::size_t calls, std::size_t first_replayed,
                                           const Column<std::uint32_t>& call_of_wait) {
  std::vector<std::uint32_t> first;
  std::uint32_t wait = 0;
  for (std::size_t call = 0; call < calls; call += block_calls) {
    while (wait < call_of_wait.size() && first_replayed + call_of_wait[wait] < call) ++wait;
    first.push_back(wait);
  }
  return first;
}

}  // namespace

std::vector<CallInterval> NotedSource::calls_outside(std::size_t rank, std::size_t first, std::size_t last,
                                                     const ReplayedTimes& times) const {
  const RankTrace& recorded = run_->recorded->ranks[rank];
  std::vector<CallInterval> calls;
  for (std::size_t call = first; call < last; ++call)
    calls.push_back({times(recorded.enter_ns[call]) - begin_ns_, times(recorded.leave_ns[call]) - begin_ns_,
                     0, 0, recorded.region[call]});
  return calls;
}

NotedSource::OfRank NotedSource::prepared(std::size_t rank) const {
  const RankTrace& recorded = run_->recorded->ranks[rank];
  const RunNotes::Rank& noted = run_->notes.ranks()[rank];
  const SimulatedRank& simulated = run_->simulated.ranks[rank];
  const double end_s = simulated.begin_s + simulated.elapsed_s;
  OfRank of;
  of.begin_ns = clock_.at(simulated.begin_s);
  of.end_ns = clock_.at(end_s);
  of.replayed = simulate::replayed_calls(recorded, noted);
  of.wait_of_block = waits_of_blocks(recorded.calls(), of.replayed.first, noted.call_of_wait);
  const std::vector<std::int64_t> outside = times_outside(recorded, of.replayed);
  if (outside.empty()) return of;
  ReplayedTimes times(run_->recorded->begin_ns(), outside);
  if (are_beside_program(outside, recorded, noted, of.replayed, end_s)) {
    times.add(recorded.begin_ns, simulated.begin_s);
    times.add(recorded.end_ns, end_s);
  } else {
    add_program(times, recorded, noted, of.replayed, simulated.begin_s, end_s);
  }
  of.before = calls_outside(rank, 0, of.replayed.first, times);
  of.behind = calls_outside(rank, of.replayed.last, recorded.calls(), times);
  return of;
}

std::int64_t NotedSource::entered_ns(std::size_t rank, std::size_t call) const {
  const OfRank& of = ranks_[rank];
  if (call < of.replayed.first) return of.before[call].enter_ns;
  if (call >= of.replayed.last) return of.behind[call - of.replayed.last].enter_ns;
  return clock_.at(run_->notes.ranks()[rank].enter_s[call - of.replayed.first]) - begin_ns_;
}

std::size_t NotedSource::read_block(std::size_t rank, std::size_t block,
                                    std::array<CallInterval, block_calls>& out) const {
  const OfRank& of = ranks_[rank];
  const RankTrace& recorded = run_->recorded->ranks[rank];
  const RunNotes::Rank& noted = run_->notes.ranks()[rank];
  const std::size_t first = block * block_calls, count = std::min(block_calls, recorded.calls() - first);
  std::size_t wait = of.wait_of_block[block];
  const auto in_program_ns = [&](std::int64_t from, std::int64_t to) {
    return std::max<std::int64_t>(0, std::min(to, of.end_ns) - std::max(from, of.begin_ns));
  };
  const std::size_t from = std::clamp(of.replayed.first, first, first + count),
                    to = std::clamp(of.replayed.last, from, first + count);
  std::copy_n(of.before.begin() + static_cast<std::ptrdiff_t>(std::min(first, of.before.size())),
              from - first, out.begin());
  const std::size_t number = from - std::min(of.replayed.first, from);
  const double* const enter_s = noted.enter_s.data() + number;
  const double* const leave_s = noted.leave_s.data() + number;
  const auto* const name = recorded.region.data() + from;
  CallInterval* const replayed = out.data() + (from - first);
  // They come one after the other: where the first and the last are exact all are.
  const std::size_t calls = to - from;
  if (calls > 0 && enter_s[0] >= 0 && leave_s[calls - 1] * 1e9 < simulate::exact_ns) {
    const std::int64_t origin_ns = clock_.at(0) - begin_ns_;
    for (std::size_t i = 0; i < calls; ++i)
      replayed[i] = {origin_ns + simulate::whole_of(enter_s[i] * 1e9),
                     origin_ns + simulate::whole_of(leave_s[i] * 1e9), 0, 0, name[i]};
  } else {
    for (std::size_t i = 0; i < calls; ++i)
      replayed[i] = {clock_.at(enter_s[i]) - begin_ns_, clock_.at(leave_s[i]) - begin_ns_, 0, 0, name[i]};
  }
  for (; wait < noted.waits.size() && of.replayed.first + noted.call_of_wait[wait] < to; ++wait) {
    const simulate::Blocked& blocked = noted.waits[wait];
    CallInterval& call = out[of.replayed.first + noted.call_of_wait[wait] - first];
    const std::int64_t begun_ns = clock_.at(blocked.begun_s);
    call.algorithmic_ns += in_program_ns(clock_.at(blocked.from_s), begun_ns);
    call.service_ns += in_program_ns(begun_ns, clock_.at(blocked.to_s));
  }
  if (to < first + count)
    std::copy_n(of.behind.begin() + static_cast<std::ptrdiff_t>(to - of.replayed.last), first + count - to,
                out.begin() + static_cast<std::ptrdiff_t>(to - first));
  std::int64_t before_ns = entered_ns(rank, first == 0 ? 0 : first - 1);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = made_sound(out[i], before_ns);
    before_ns = out[i].enter_ns;
  }
  return count;
}

// A rank's calls in the program come one after the other, so that the last of a block returns last.
RankCalls NotedSource::list(std::size_t rank) const {
  const OfRank& of = ranks_[rank];
  const RankTrace& recorded = run_->recorded->ranks[rank];
  const RunNotes::Rank& noted = run_->notes.ranks()[rank];
  RankCalls out;
  out.blocks.keep_in(run_->recorded->store);
  out.calls = recorded.calls();
  std::array<CallInterval, block_calls> piece;
  std::int64_t left_ns = std::numeric_limits<std::int64_t>::min();
  for (std::size_t first = 0; first < out.calls; first += block_calls) {
    const std::size_t last = first + block_calls;
    if (first >= of.replayed.first && last <= of.replayed.last) {
      left_ns = std::max(left_ns, clock_.at(noted.leave_s[last - 1 - of.replayed.first]) - begin_ns_);
    } else {
      const std::size_t count = read_block(rank, first / block_calls, piece);
      for (std::size_t i = 0; i < count; ++i) left_ns = std::max(left_ns, piece[i].leave_ns);
    }
    out.blocks.push_back({entered_ns(rank, first), left_ns, 0, 0});
  }
  std::vector<char> called(run_->recorded->regions.size());
  for (const auto name : recorded.region) called[name] = 1;
  for (std::uint32_t name = 0; name < called.size(); ++name)
    if (called[name] != 0) out.use(name, static_cast<std::size_t>(TimePart::library));
  for (std::size_t wait = 0; wait < noted.waits.size(); ++wait) {
    const simulate::Blocked& blocked = noted.waits[wait];
    const std::uint32_t name = recorded.region[of.replayed.first + noted.call_of_wait[wait]];
    if (blocked.begun_s > blocked.from_s) out.use(name, static_cast<std::size_t>(TimePart::algorithmic));
    if (blocked.to_s > blocked.begun_s) out.use(name, static_cast<std::size_t>(TimePart::service));
  }
  return out;
}

Result<void> NotedSource::read(std::size_t rank, const Take& take) const {
  std::array<CallInterval, block_calls> piece;
  for (std::size_t block = 0; block * block_calls < run_->recorded->ranks[rank].calls(); ++block)
    take({piece.data(), read_block(rank, block, piece)});
  return {};
}

}  // namespace ww::view

#include "view/noted_source.hpp"

#include <algorithm>
#include <array>

#include "simulate/replayed_times.hpp"

namespace ww::view {

using simulate::ReplayedTimes;
using simulate::RunNotes;

NotedRun::NotedRun(std::shared_ptr<const Trace> of, std::size_t messages)
    : recorded(std::move(of)), notes(recorded->ranks.size(), messages, recorded->store) {}

NotedSource::NotedSource(const NotedRun& run) : run_(run) {
  const ReplayedTimes times(run.recorded->begin_ns());
  begin_ns_ = times.at(run.simulated.ranks.empty() ? 0 : run.simulated.ranks.front().begin_s);
  for (const SimulatedRank& rank : run.simulated.ranks)
    begin_ns_ = std::min(begin_ns_, times.at(rank.begin_s));
  for (const SimulatedRank& rank : run.simulated.ranks) {
    const std::int64_t begin_ns = times.at(rank.begin_s), end_ns = times.at(rank.begin_s + rank.elapsed_s);
    ranks_.push_back({begin_ns - begin_ns_, std::max(begin_ns, end_ns) - begin_ns_});
  }
}

namespace {

// When recorded calls outside of the program were, in order.
std::vector<std::int64_t> times_outside(const RankTrace& recorded, const simulate::ReplayedCalls& calls) {
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

// What a rank's calls waited, one call after the other.
class Waiting {
 public:
  Waiting(const RunNotes::Rank& noted, const ReplayedTimes& times, std::int64_t begin_ns, std::int64_t end_ns)
      : noted_(noted), times_(times), begin_ns_(begin_ns), end_ns_(end_ns) {}

  void add_to(CallInterval& call, std::size_t number) {
    for (; next_ < noted_.waits.size() && noted_.call_of_wait[next_] == number; ++next_) {
      const simulate::Blocked& wait = noted_.waits[next_];
      const std::int64_t begun_ns = times_.at(wait.begun_s);
      call.algorithmic_ns += in_program(times_.at(wait.from_s), begun_ns);
      call.service_ns += in_program(begun_ns, times_.at(wait.to_s));
    }
  }

 private:
  std::int64_t in_program(std::int64_t from, std::int64_t to) const {
    return std::max<std::int64_t>(0, std::min(to, end_ns_) - std::max(from, begin_ns_));
  }
  const RunNotes::Rank& noted_;
  const ReplayedTimes& times_;
  std::int64_t begin_ns_, end_ns_;
  std::size_t next_ = 0;
};

}  // namespace

Result<void> NotedSource::read(std::size_t number, const Take& take) const {
  const RankTrace& recorded = run_.recorded->ranks[number];
  const RunNotes::Rank& noted = run_.notes.ranks()[number];
  const SimulatedRank& simulated = run_.simulated.ranks[number];
  const simulate::ReplayedCalls calls = simulate::replayed_calls(recorded, noted);
  const double end_s = simulated.begin_s + simulated.elapsed_s;
  const std::vector<std::int64_t> outside = times_outside(recorded, calls);
  ReplayedTimes times(run_.recorded->begin_ns(), outside);
  if (!outside.empty()) add_program(times, recorded, noted, calls, simulated.begin_s, end_s);
  Waiting waiting(noted, times, times.at(simulated.begin_s), times.at(end_s));
  std::array<CallInterval, 1024> piece;
  for (std::size_t first = 0; first < recorded.calls(); first += piece.size()) {
    const std::size_t count = std::min(piece.size(), recorded.calls() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t call = first + i;
      CallInterval& to = piece[i];
      to = {0, 0, 0, 0, recorded.region[call]};
      if (call >= calls.first && call < calls.last) {
        to.enter_ns = times.at(noted.enter_s[call - calls.first]) - begin_ns_;
        to.leave_ns = times.at(noted.leave_s[call - calls.first]) - begin_ns_;
        waiting.add_to(to, call - calls.first);
      } else {
        to.enter_ns = times(recorded.enter_ns[call]) - begin_ns_;
        to.leave_ns = times(recorded.leave_ns[call]) - begin_ns_;
      }
    }
    take({piece.data(), count});
  }
  return {};
}

}  // namespace ww::view

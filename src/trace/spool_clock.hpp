// From the ticks of a rank's counter to nanoseconds on rank 0's clock.
#pragma once
#include <memory>

#include "trace/spool.hpp"

namespace ww::spool {

// What the exchanges say of a stretch of time on a counter.
struct ClockInterval {
  long double from_ticks = 0, to_ticks = 0;
  long double offset_ticks = 0;  // at from_ticks
  double drift = 0;              // what the offset gains a tick
  // Bound on the error of the offset anywhere within. Of an exchange: half its round trip. Between two, the
  // larger of theirs and, where the drift changes, by how much a straight line can be wrong: a clock whose
  // drift changes once, by d, in an interval of length L is d L / 4 away from the line at most; d is the
  // difference between the intervals on both sides. (At the ends there is one side, and then d L.) Beyond the
  // exchanges, as after a crash: what the drift's own uncertainty makes of the distance.
  double uncertainty_ticks = 0;
  double deviation_ticks = 0;  // standard deviation of the exchange at from_ticks
  bool beyond = false;         // not between two exchanges
};

// Rank 0's ticks at an instant: own ticks + offset, the offset linear between the exchanges of clocks and
// beyond them.
class TickMap {
 public:
  // root_ticks_per_s: of rank 0's counter. With one exchange only, or two too close to one another, the two
  // counters' rates give the slope if they are of different kinds (more than 0.1% apart); two exchanges
  // measure it. last_ticks: of the last event, up to where it will be used.
  TickMap(std::vector<SpoolClockPair> exchanges, double own_ticks_per_s, double root_ticks_per_s,
          long double last_ticks, Diagnostics& diagnostics);
  long double root_ticks(std::uint64_t ticks) const;
  // Largest from the first exchange to the last event.
  double uncertainty_ticks() const;
  bool same_clock() const { return same_clock_; }
  // By time, from the first exchange on, the last one up to the last event if that is later.
  const std::vector<ClockInterval>& intervals() const { return intervals_; }
  // Of the exchanges that were used.
  const std::vector<SpoolClockPair>& exchanges() const { return exchanges_; }
  // What the offset gained a tick from the first exchange to the last.
  double drift() const;

 private:
  void take(std::vector<SpoolClockPair> exchanges, double slope_by_rates, Diagnostics& diagnostics);
  void find_intervals(double slope_by_rates, long double last_ticks);
  double bend_ticks(std::size_t interval) const;

  std::vector<SpoolClockPair> exchanges_;
  std::vector<ClockInterval> intervals_;
  double slope_before_ = 0;  // of the offset before the first exchange
  bool same_clock_ = true;
};

// Ticks per second of this rank's counter: from its pairs of counter and monotonic clock if they span long
// enough to be better than what the recorder stated, else as stated. 0 if the rank says nothing.
double ticks_per_s(const RankDefinitions& definitions);

// One for each spool; ranks of one counter share it, and what any of them exchanged. last_ticks: by spool, of
// the latest return of a call.
std::vector<std::shared_ptr<const TickMap>> tick_maps(const std::vector<RankSpool>& spools,
                                                      const std::vector<std::uint64_t>& last_ticks,
                                                      double root_ticks_per_s, Diagnostics& diagnostics);

// `clock` of run.json: ticks_per_s is rank 0's, origin_ticks its time 0; hosts by rank.
nlohmann::json clock_facts(const std::vector<std::shared_ptr<const TickMap>>& maps,
                           const std::vector<RankSpool>& spools, double ticks_per_s,
                           long double origin_ticks);

}  // namespace ww::spool

// From the ticks of a rank's counter to nanoseconds on rank 0's clock.
#pragma once
#include "trace/spool.hpp"

namespace ww::spool {

// Rank 0's ticks at an instant: own ticks + offset, the offset linear between the exchanges of clocks and
// beyond them.
class TickMap {
 public:
  // root_ticks_per_s: of rank 0's counter. With one exchange only, the two counters' rates give the slope if
  // they are of different kinds (more than 0.1% apart); two exchanges measure it.
  TickMap(const RankDefinitions& definitions, double root_ticks_per_s, Diagnostics& diagnostics);
  long double root_ticks(std::uint64_t ticks) const;
  double uncertainty_ticks() const { return uncertainty_ticks_; }
  bool same_clock() const { return same_clock_; }
  // Of the exchanges that were used: the first offset, and what the offset gained a tick from the first to
  // the last.
  long double first_offset_ticks() const { return points_.empty() ? 0 : points_.front().offset; }
  long double drift() const;
  std::size_t exchanges() const { return points_.size(); }

 private:
  struct Point {
    long double ticks, offset;
  };
  std::vector<Point> points_;
  std::vector<long double> slopes_;  // from each point to the next; the last one goes on
  bool same_clock_ = true;
  double uncertainty_ticks_ = 0;
};

// Ticks per second of this rank's counter: from its pairs of counter and monotonic clock if they span long
// enough to be better than what the recorder stated, else as stated. 0 if the rank says nothing.
double ticks_per_s(const RankDefinitions& definitions);

}  // namespace ww::spool

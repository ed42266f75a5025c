// Rank 0's counter as seen from this one, while the program runs: a line through the exchanges of clocks so far
// (clock_threads.hpp), and beyond the last. What unify makes of all exchanges afterwards (trace/spool_clock.hpp) lies
// between them; here there is only what was before.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/clock_sample.hpp"

namespace ww::interpose {

// root = own + offset + slope (own - at), in ticks of either.
struct ClockLine {
  uint64_t at = 0;
  int64_t offset = 0;
  double slope = 0;

  uint64_t to_root(uint64_t own) const;
  uint64_t from_root(uint64_t root) const;
};

class ClockSamples {
 public:
  // Of the two counters' rates, root's over the own - 1: the slope until two exchanges measure it, if the counters
  // are of different kinds.
  explicit ClockSamples(double by_rates = 0);
  // False: it contradicts the last one, and is not taken.
  bool add(const ClockSample& sample);
  ClockLine line() const;  // of none: the own clock

 private:
  // The slope is that from the oldest to the latest, so that one exchange's error is spread over all of them;
  // more than these would be slow to see a clock that is being adjusted.
  static constexpr int most = 8;
  ClockSample sample_[most];
  int count_ = 0;
  double by_rates_;
};

// This process: at MPI_Init, when the first exchange is known; `same`: the counter is rank 0's.
void begin_wire_clock(bool same, double by_rates, const ClockSample& first);
// Memory that the ranks of one counter share, of zeros: one of them exchanges clocks for all, `publishes`.
size_t wire_clock_memory();
void share_wire_clock(void* memory, bool publishes);
void unshare_wire_clock();
void add_to_wire_clock(const ClockSample& sample);  // of the rank that publishes, in any thread
ClockLine wire_clock();

}  // namespace ww::interpose

// What round trips between two clocks say of their distance.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// own + offset = theirs, at the own time at_ticks.
struct ClockSample {
  int64_t offset = 0;
  int64_t uncertainty = 0;  // the offset is within this, whatever the two ways took
  uint64_t at_ticks = 0;
  double deviation = 0;  // standard deviation of the offsets of the quicker half of the round trips;
                         // of too few to have one: that of the uncertainty
  int32_t trips = 0;     // 0: nobody answered
};

// Cristian, 1989: the quickest round trip decides; the other clock was read in its middle, give or take its
// half.
class RoundTrips {
 public:
  static constexpr int most = 20;

  // Asked at `before` and answered at `after` on the own clock; on the other the question came in at `in` and
  // the answer left at `out`.
  void add(uint64_t before, uint64_t in, uint64_t out, uint64_t after) {
    if (count_ == most || after < before || out < in) return;
    const uint64_t all = after - before, there = out - in;
    const Trip trip{all > there ? all - there : 0, static_cast<int64_t>(in + there / 2 - (before + all / 2)),
                    before + all / 2};
    int at = count_++;
    for (; at > 0 && trips_[at - 1].took > trip.took; --at) trips_[at] = trips_[at - 1];
    trips_[at] = trip;
  }

  ClockSample result() const {
    ClockSample sample;
    if (count_ == 0) return sample;
    sample.offset = trips_[0].offset;
    sample.uncertainty = static_cast<int64_t>(trips_[0].took / 2 + 1);
    sample.at_ticks = trips_[0].middle;
    sample.trips = count_;
    const int half = (count_ + 1) / 2;
    double squares = 0;
    for (int i = 1; i < half; ++i) {
      const auto apart = static_cast<double>(trips_[i].offset - sample.offset);
      squares += apart * apart;
    }
    sample.deviation = half > 1 ? square_root(squares / (half - 1))
                                : 0.57735 * static_cast<double>(sample.uncertainty);  // all as likely
    return sample;
  }

 private:
  struct Trip {
    uint64_t took;
    int64_t offset;
    uint64_t middle;
  };
  static double square_root(double value) {  // libm is not linked
    double root = value > 1 ? value : 1;
    for (int i = 0; i < 200; ++i) {
      const double next = (root + value / root) / 2;
      if (next >= root) break;
      root = next;
    }
    return root;
  }
  Trip trips_[most] = {};  // the quickest first
  int count_ = 0;
};

}  // namespace ww::interpose

// One clock for all ranks: each rank's distance to rank 0's clock by the exchange with the shortest round
// trip (Cristian 1989). Good for the seconds after its making; clocks of different hosts drift apart by up to
// some tens of microseconds a second.
#pragma once
#include <mpi.h>

namespace ww::measure {

class CommonClock {
 public:
  explicit CommonClock(MPI_Comm comm);         // all ranks together
  double now_s() const;                        // by rank 0's clock
  double doubt_s() const { return doubt_s_; }  // half the shortest round trip
  void wait_until(double common_s) const;      // busy

 private:
  double ahead_s_ = 0, doubt_s_ = 0;  // of rank 0's
};

}  // namespace ww::measure

// A run in virtual time, checked by simulation: its own trace, whose computation is the run's, replayed with
// the algorithms that its MPI library uses for collectives and with messages that meet in the order of
// virtual time, where the run itself has the usual algorithms and the order of real time.
#pragma once
#include "dilate/virtual.hpp"

namespace ww {

// Sets replayed_s, and widens the interval by as much as that is off the run that it checks. What cannot be
// replayed is said (virtual-not-checked); more than 5% is, too (virtual-simulated-otherwise).
void check_by_simulation(VirtualRun& run);

}  // namespace ww

// A run in virtual time, checked by simulation: its own trace, whose computation is the run's, replayed with
// messages that meet in the order of virtual time, where the run itself has them in the order of real time.
// Collectives' algorithms and what a message costs are the same in both, and not checked by it
// (docs/design/dilation.md).
#pragma once
#include "dilate/virtual_run.hpp"

namespace ww {

// Sets replayed_s, and widens the interval by as much as that is off the run that it checks. What cannot be
// replayed is said (virtual-not-checked); more than 5% is, too (virtual-simulated-otherwise).
void check_by_simulation(VirtualRun& run);

}  // namespace ww

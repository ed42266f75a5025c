// Simulation as the second witness of a dilation: the trace of its run at D = 1, replayed with a network D
// times as fast. Of a machine that was disturbed while the program ran dilated it knows nothing.
#pragma once
#include "dilate/dilate.hpp"
#include "machine/model.hpp"

namespace ww {

// Sets `simulated` and `simulated_from` of a dilation without a what-if, whose runs at D = 1 are still there;
// does nothing without such runs. Adds the diagnostics
//   witnesses-disagree  their verdicts differ, or their speed-ups beyond both intervals
//   witness-missing     the run could not be simulated
void ask_simulation(Dilation& dilation, const MachineModel& machine);
// The witnesses side by side, in words: of what to compare at the largest D. Empty where they agree.
std::string disagreement(const Signature& dilated, const Signature& simulated);
// One line a reader of the dilation's verdict should see; empty where simulation was not asked.
std::string second_witness(const Dilation& dilation);

}  // namespace ww

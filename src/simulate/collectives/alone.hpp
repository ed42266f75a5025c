// What an algorithm takes with nothing else under way: how non-blocking collectives are replayed, whose ranks do
// other things meanwhile, in an order that a stream of operations cannot tell.
#pragma once
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

// Of each of the program's shapes, all of its members beginning it at one time. Where the library works inside
// calls only (Progress), all but a first round of eager messages is left for when the members are there again.
// Errors: as ReplayCosts::make.
Result<std::vector<SyncTime>> times_alone(const Program& program, const MachineModel& model,
                                          double extra_software_s);

}  // namespace ww::simulate

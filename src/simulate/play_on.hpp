// A program on a machine: what its messages cost there, and the engine that plays them.
#pragma once
#include <span>

#include "base/result.hpp"
#include "machine/model.hpp"
#include "simulate/message_kinds.hpp"
#include "simulate/program.hpp"
#include "simulate/simulate.hpp"
#include "simulate/stalls.hpp"

namespace ww::simulate {

// recorded_on: where the program was. Errors: as ReplayCosts::make, and of the engine.
Result<Simulated> play_on(const Program& program, const MachineModel& model, const SimulateOptions& options,
                          const MachineModel& recorded_on, std::span<const Stall> stalls = {});
// The same, with what MessageKinds::of(program, &recorded_on) gave.
Result<Simulated> play_on(const Program& program, const MessageKinds& kinds, const MachineModel& model,
                          const SimulateOptions& options, const MachineModel& recorded_on,
                          std::span<const Stall> stalls);

}  // namespace ww::simulate

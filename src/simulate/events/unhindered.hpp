// Plays a program rank by rank, without a queue of events, where no message is in another's way and none is answered: all are small,
// and stay within their host or go over an ideal network. When a message is there then depends on its sender alone, and what a rank
// does on what it waits for, so that the order in which ranks are played does not matter. The rules and the numbers are the engine's
// (engine.hpp), but that of messages which come at the same instant the one with the lower number is worked on first.
#pragma once
#include <optional>

#include "simulate/costs.hpp"
#include "simulate/predicted_run.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

bool goes_unhindered(const Program& program, const ReplayCosts& costs, const SimulateOptions& options);

// Of such a program; `notes` may be null. Nothing: ranks wait for each other, which the engine tells, and what was noted is of no
// use. Error: cancelled.
Result<std::optional<Simulated>> play_unhindered(const Program& program, const ReplayCosts& costs,
                                                 const SimulateOptions& options, RunNotes* notes);

}  // namespace ww::simulate

// Plays a program on a machine in the order of time. Deterministic: ties go to the lower rank (by
// Arbitration::higher_rank to the higher one), then to what was scheduled first.
//
// Rules of progress, of a library that has none but inside its calls (Progress::always: wherever its ranks are):
// * an eager message is on its way when its sender's software is done; the sender goes on at once;
// * a rendezvous request is answered when the receive is posted and the receiver is inside an MPI call; the
// data starts
//   when the answer is there and the sender is inside an MPI call; the send completes when the data has left;
// * a receive completes after arrival plus the receiver's software, which runs in the call that waits for it.
#pragma once
#include "simulate/costs.hpp"
#include "simulate/program.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

// Errors: deadlock, with the cycle of ranks and calls.
Result<Simulated> play(const Program& program, const ReplayCosts& costs, const SimulateOptions& options);

}  // namespace ww::simulate

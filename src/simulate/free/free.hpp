// A recorded program without contention: every message takes its own time, however many others are under way.
// Each rank does its operations in the recorded order, so a time is a maximum of sums: the finish grows
// convexly with latency, seconds a byte and software, how fast is carried along exactly, and it is never
// above that of the events engine (events/engine.hpp), whose rules it takes but for these:
// * a rank's small messages leave it one after the other, and nothing else meets;
// * requests of large messages are answered at once (an MPI with a progress thread);
// * what has come is worked on in no order: a wait ends when all of it can have been.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/cancellation.hpp"
#include "base/result.hpp"
#include "simulate/costs.hpp"
#include "simulate/observer.hpp"
#include "simulate/program.hpp"
#include "simulate/schedule/growth.hpp"

namespace ww::simulate {

// Picoseconds. (A tick of schedule:: is what its caller takes it for.)
using Picoseconds = std::int64_t;
inline constexpr double picoseconds_per_s = 1e12;

using schedule::Parameter;

struct FreeRun {
  Picoseconds finish = 0;       // of the last rank, since the earliest began
  schedule::Parameters slopes;  // how often a crossing, a byte at a port and a message's overhead are in it
  // Where asked for. By rank: in computation and calls; by call (Program::regions): without what is under way;
  // a message's time is from the start of its send's software to the end of its receive's.
  schedule::Blame blame;
};

struct FreeOptions {
  double compute_factor = 1;
  Place network = Place::inter;
  // What a message costs more (or less) than the model says, on that network: a crossing (an eager message has
  // one, a large one three), a byte of what the port carries, the sender's call. None of these falls below
  // nothing; where one is at that, it grows with no parameter.
  schedule::Parameters change = {};
  bool blame = false;
  // Is told of the replay: a message arrives and is received when a wait for it ends, before its software and
  // after that of all that the wait is for; who waits for several is blocked for the last.
  Observer* observer = nullptr;
  const Cancellation* cancellation = nullptr;
};

// Errors: ranks that wait for each other; a run of over three months.
Result<FreeRun> replay_free(const Program& program, const ReplayCosts& costs, const FreeOptions& options);

// By what is added to the parameters; ticks are picoseconds.
schedule::Growing growing(const Program& program, const ReplayCosts& costs, const FreeOptions& options);

}  // namespace ww::simulate

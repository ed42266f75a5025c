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
#include "simulate/schedule/curves.hpp"
#include "simulate/schedule/joint.hpp"

namespace ww::simulate {

// Picoseconds. (A tick of schedule:: is what its caller takes it for.)
using Picoseconds = std::int64_t;
inline constexpr double picoseconds_per_s = 1e12;

// What a message costs more (or less) than the model says, on the network that is asked about.
struct Change {
  Picoseconds latency = 0;        // a crossing: an eager message has one, a large one three
  Picoseconds per_wire_byte = 0;  // of what the port carries
  Picoseconds overhead = 0;       // in the sender's call
};

// A time, and how often latency, bytes and overheads of messages are in it.
struct Slopes {
  std::int64_t crossings = 0, wire_bytes = 0, messages = 0;
};

struct Blame {
  struct Message {
    std::uint32_t message = 0;
    double s = 0;  // from the start of its send's software to the end of its receive's
  };
  std::vector<double> by_rank_s;  // in computation and calls, in program order of ranks
  std::vector<double> by_call_s;  // into Program::regions; in calls, without what is under way
  double compute_s = 0, under_way_s = 0;
  std::vector<Message> messages;  // on the longest chain, the longest first
};

struct FreeRun {
  Picoseconds finish = 0;  // of the last rank, since the earliest began
  Slopes slopes;
  Blame blame;  // sums to the finish; where asked for
};

struct FreeOptions {
  double compute_factor = 1;
  Place network = Place::inter;
  Change change = {};
  bool blame = false;
  // Is told of the replay: a message arrives and is received when a wait for it ends, before its software and
  // after that of all that the wait is for; who waits for several is blocked for the last.
  Observer* observer = nullptr;
  const Cancellation* cancellation = nullptr;
};

// Errors: ranks that wait for each other; a run of over three months.
Result<FreeRun> replay_free(const Program& program, const Costs& costs, const FreeOptions& options);

enum class Parameter : std::uint8_t { latency, per_wire_byte, overhead };
const char* to_string(Parameter parameter);
// The finish by what is added to one parameter; ticks are picoseconds.
schedule::Evaluate by(Parameter parameter, const Program& program, const Costs& costs, FreeOptions options);
// ... by what is added to latency and to the time a byte.
schedule::TouchOracle by_latency_and_bytes(const Program& program, const Costs& costs, FreeOptions options);

}  // namespace ww::simulate

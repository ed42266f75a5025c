// What could make a dilation say something wrong: of the program, of the machine, of each run. Each is said
// under a name with what to do, none silently:
//   reads-tsc          the program reads the time-stamp counter itself, and sees real time there
//   no-communication   no message and no collective: nothing waits for the network
//   oversubscribed     more ranks, or busy threads, on a host than it has cores
//   core-shared        a rank that polls lost its core to others
//   other-load         other programs had cores that the ranks wanted
//   stolen-time        the host of a virtual machine had its cores
//   frequency-changed  the same arithmetic took longer at one time than at another
// A program that never calls MPI_Init, and a D too small for its SPEC, are errors (record, injection).
#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/processors.hpp"
#include "launch/launch.hpp"
#include "trace/trace.hpp"

namespace ww {

// What this machine's processors did, and how much of it was ours: this process and all it has waited for.
struct MachineUse {
  ProcessorTimes machine;
  double own_s = 0, wall_s = 0;
};
MachineUse machine_use();

struct RunFacts {
  double factor = 1;
  nlohmann::json run;  // Trace::run
  std::size_t messages = 0;
  bool lab = false;
  MachineUse before, after;  // around the whole run, start-up included
};

class Conditions {
 public:
  explicit Conditions(const Launch& launch);
  void begin_run() { before_ = machine_use(); }
  void end_run(double factor, const Trace& trace);
  // Of all runs so far.
  Diagnostics said() const;

 private:
  Diagnostics of_program_;
  std::vector<RunFacts> runs_;
  MachineUse before_;
};

// The parts, for tests.
Diagnostics conditions_of_program(const Launch& launch);
Diagnostics conditions_of_runs(const std::vector<RunFacts>& runs);

}  // namespace ww

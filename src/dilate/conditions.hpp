// What could make a dilation say something wrong: of the program, of the machine, of each run. Each is said
// under a name with its figure and what to do:
//   reads-tsc          the program reads the time-stamp counter itself, and sees real time there
//   no-communication   no message and no collective: nothing waits for the network
//   oversubscribed, core-shared, other-load, stolen-time: base/disturbance.hpp
//   frequency-changed  the same arithmetic took longer at one time than at another
// A program that never calls MPI_Init and a D too small for its SPEC are errors (record, feasible).
#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "trace/trace.hpp"

namespace ww {

struct RunFacts {
  double factor = 1;
  RunRecord run;  // Trace::run
  std::size_t ranks = 1;
  bool communicates = true;
};

Diagnostics conditions_of_runs(const std::vector<RunFacts>& runs);

// Of the program as it ran (Trace::run), scripts' interpreters and what dlopen brought included. Files are
// looked at once, where they have their names here (ranks of other machines may have others).
class ConditionsOfProgram {
 public:
  void look_at(const RunRecord& run);
  const Diagnostics& said() const { return said_; }

 private:
  std::set<std::string> seen_;
  Diagnostics said_;
};

// Both, for a dilation as it goes.
class ConditionsSoFar {
 public:
  void end_run(double factor, const Trace& trace);
  Diagnostics said() const;  // of the program and all runs so far

 private:
  ConditionsOfProgram of_program_;
  std::vector<RunFacts> runs_;
};

}  // namespace ww

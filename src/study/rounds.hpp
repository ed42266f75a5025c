// The runs of a study, in rounds: each records the program, predicts from that recording, runs it dilated
// and, in a lab, on the real network. What disturbs the machine for a while (other load, a core that runs
// slower) thus disturbs all kinds of runs alike. A prediction knows its own recording and, to tell which of
// its computations were disturbed, the other rounds'; nothing of the dilated and the real runs.
#pragma once
#include "launch/launch.hpp"
#include "simulate/simulate.hpp"
#include "study/study.hpp"

namespace ww {

struct RoundAnswer {
  Prediction prediction;
  std::optional<double> dilated_s, real_s;
  std::optional<double> virtual_s;
  std::optional<Components> dilated, in_virtual_time, real;  // where the time went, mean of the ranks
  std::string not_dilated, not_virtual, no_real;             // why there is no such time
};

struct StudyRound {
  std::filesystem::path trace;
  double recorded_s = 0;
  Computations computations;
  std::vector<RoundAnswer> answers;  // one a what-if
};

struct Rounds {
  MachineModel model;
  std::vector<WhatIf> what_ifs;  // with the network that the program uses
  std::vector<StudyRound>
      rounds;  // StudyOptions::repeat; if interrupted, those that were complete; at least one
  Diagnostics diagnostics;
  Diagnostics disturbance;  // of all recorded and real runs, see base/disturbance.hpp
};

// Errors: interrupted before the first round was complete, the program cannot be recorded or fails, the
// machine cannot be measured, a trace cannot be replayed, the lab's wire cannot be set. A dilated run that
// fails is no error: the answer says why.
Result<Rounds> run_rounds(const Launch& launch, const StudyOptions& options,
                          const std::vector<WhatIf>& what_ifs);

}  // namespace ww

// The runs of a study, in rounds: each records the program, predicts from that recording, runs it dilated
// and, in a lab, on the real network. What disturbs the machine for a while (other load, a core that runs
// slower) thus disturbs all kinds of runs alike. A prediction knows its own recording and, to tell which of
// its computations were disturbed, the other rounds'; nothing of the dilated and the real runs.
// Where much rests on how computation depends on waiting, a round records the program on another network too
// (second_recording.hpp).
#pragma once
#include "launch/launch.hpp"
#include "simulate/away.hpp"
#include "simulate/simulate.hpp"
#include "study/study.hpp"

namespace ww {

struct RoundAnswer {
  Prediction prediction;
  // With computation as recorded, where the other is by a second recording.
  std::optional<Prediction> as_recorded;
  std::optional<double> dilated_s, real_s;
  std::optional<double> virtual_s;
  std::optional<Components> dilated, in_virtual_time, real;  // where the time went, mean of the ranks
  std::string not_dilated, not_virtual, no_real;             // why there is no such time
};

struct StudyRound {
  std::filesystem::path trace;
  double recorded_s = 0;
  Computations computations;
  std::filesystem::path other_trace;  // of the second recording, where there is one
  std::optional<simulate::Computed> computed, other;
  std::vector<RoundAnswer> answers;  // one a what-if
};

struct Rounds {
  MachineModel model;
  std::vector<WhatIf> what_ifs;  // with the network that the program uses
  std::string second_recording;  // on which network, if one was taken
  std::string why_no_second;     // it would have mattered, and was not taken or told nothing
  std::vector<StudyRound>
      rounds;  // StudyOptions::repeat; if interrupted, those that were complete; at least one
  Diagnostics diagnostics;
};

// Errors: interrupted before the first round was complete, the program cannot be recorded or fails, the
// machine cannot be measured, a trace cannot be replayed, the lab's wire cannot be set. A dilated run that
// fails is no error: the answer says why.
Result<Rounds> run_rounds(const Launch& launch, const StudyOptions& options,
                          const std::vector<WhatIf>& what_ifs);

}  // namespace ww

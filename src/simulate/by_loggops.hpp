// Predictions under LogGOPS alone, by the evaluators of schedules (schedule/predict_schedule.hpp).
#pragma once
#include "simulate/graph.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

// Of a program's schedule on what LogGOPS says of the machine; both must outlive it.
class ByLogGops {
 public:
  // Errors: those of schedule_of(), and of a prediction of the program as it is.
  static Result<ByLogGops> make(const Program& program, const MachineModel& machine, Evaluator evaluator);
  void work_on(unsigned threads) { threads_ = threads; }
  // From here on each prediction of windows tells it.
  void observe(Observer* observer) { observer_ = observer; }
  // Sensitivities are those of the longest chain without contention. Errors: what LogGOPS knows nothing of, a
  // network among it.
  Result<Prediction> predict(const WhatIf& what_if) const;

 private:
  ByLogGops(const Program& program, const MachineModel& machine, Evaluator evaluator)
      : program_(&program), machine_(&machine), evaluator_(evaluator) {}
  const Program* program_;
  const MachineModel* machine_;
  Evaluator evaluator_;
  unsigned threads_ = 1;
  Observer* observer_ = nullptr;
  Lowered graph_;
  double baseline_s_ = 0;
};

}  // namespace ww::simulate

// Predictions under LogGOPS alone, by the evaluators of schedules (schedule/predict_schedule.hpp).
#pragma once
#include <vector>

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
  // By `free` alone, of many at once (schedule/batch.hpp), in their order: the same numbers. Errors: as
  // predict() of one of them.
  struct Brief {
    double predicted_s = 0;
    double latency_s_per_s = 0, seconds_per_byte_s_per_s = 0, overhead_s_per_s = 0;
    double blocked_s = 0;  // mean of the ranks
  };
  Result<std::vector<Brief>> predict_many(const std::vector<WhatIf>& what_ifs) const;

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

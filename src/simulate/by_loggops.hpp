// Predictions under LogGOPS alone, by the evaluators of schedules (schedule/predict_schedule.hpp).
#pragma once
#include <vector>

#include "simulate/graph.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

// Of a program's schedule on what LogGOPS says of the machine; both must outlive it.
class ByLogGops {
 public:
  // By windows or free, with the threads, the interval, the observer and the cancellation of `options`. Errors: those
  // of schedule_of(), and of a prediction of the program as it is.
  static Result<ByLogGops> make(const Program& program, const MachineModel& machine,
                                const PredictOptions& options);
  void work_on(unsigned threads) { options_.threads = threads; }
  // Sensitivities are those of the longest chain without contention. Errors: what LogGOPS knows nothing of, a
  // network among it; that it was cancelled.
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
  ByLogGops(const Program& program, const MachineModel& machine, const PredictOptions& options)
      : program_(&program), machine_(&machine), options_(options) {}
  const Program* program_;
  const MachineModel* machine_;
  PredictOptions options_;
  Lowered graph_;
  double baseline_s_ = 0;
};

}  // namespace ww::simulate

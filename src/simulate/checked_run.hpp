// A run whose self-check has been made: what all predictions of it share, whatever they ask.
#pragma once
#include <memory>

#include "simulate/simulate.hpp"

namespace ww::simulate {

class CheckedRun {
 public:
  // Replays it on the machine that recorded it, and calibrates the software inside the application. `run`'s program, trace and
  // conditions, and `recorded_on`, must outlive it. Of the options computed, cooling, threads and cancellation count. Errors:
  // those of a replay.
  static Result<CheckedRun> make(const Replayable& run, const MachineModel& recorded_on,
                                 const PredictOptions& options = {});

  // By many threads at once. Of the options explain, threads, interval, observer and cancellation count. The numbers are those
  // of predict_all.
  Result<Prediction> predict(const WhatIf& what_if, const PredictOptions& options = {}) const;

 private:
  class Predictor;
  explicit CheckedRun(std::shared_ptr<const Predictor> predictor);
  std::shared_ptr<const Predictor> predictor_;
};

}  // namespace ww::simulate

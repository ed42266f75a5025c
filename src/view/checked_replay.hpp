// What all predictions of an open trace share, whatever they ask: the program, and its replay on the machine that recorded it.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simulate/checked_run.hpp"
#include "simulate/program.hpp"
#include "view/lazy.hpp"

namespace ww::view {

class CheckedReplay {
 public:
  // `conditions`: of a predicted run. `recorded_on`: the machine that recorded it. Errors: those of the self-check.
  static Result<std::shared_ptr<const CheckedReplay>> make(std::shared_ptr<const Trace> trace,
                                                           std::shared_ptr<const simulate::Program> program,
                                                           std::optional<Conditions> conditions,
                                                           MachineModel recorded_on, unsigned threads);
  // As CheckedRun::predict.
  Result<Prediction> predict(const WhatIf& what_if, const PredictOptions& options) const;

 private:
  CheckedReplay() = default;
  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const simulate::Program> program_;
  std::optional<Conditions> conditions_;
  MachineModel recorded_on_;
  std::optional<simulate::CheckedRun> run_;
};

// By the machines that recorded it, of which the page may name others; those that were asked for last are kept.
class CheckedReplays {
 public:
  using Value = Lazy<CheckedReplay>::Value;
  // make(): Value, once for a machine; who asks meanwhile waits for it.
  template <class Make>
  Value get(const MachineModel& recorded_on, Make make) {
    return of(recorded_on)->get(make);
  }

 private:
  std::shared_ptr<Lazy<CheckedReplay>> of(const MachineModel& recorded_on);

  static constexpr std::size_t most = 2;
  struct One {
    std::string machine;  // the model as JSON
    std::shared_ptr<Lazy<CheckedReplay>> replay;
  };
  std::mutex mutex_;
  std::vector<One> kept_;  // the last that was asked for is the last
};

}  // namespace ww::view

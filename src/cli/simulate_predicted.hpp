// simulate -o: the predicted run as a trace directory.
#pragma once
#include <memory>
#include <string>

#include "base/new_result.hpp"
#include "simulate/predicted_run.hpp"

namespace ww::cli {

class PredictedRun {
 public:
  // Errors: the name is not ours to write (new_result.hpp).
  static Result<std::unique_ptr<PredictedRun>> begin(const std::string& name, bool force,
                                                     const Trace& recorded);
  simulate::RunNotes& notes() { return notes_; }
  Result<void> publish(const Prediction& prediction);

 private:
  PredictedRun(owned::NewResult result, const Trace& recorded);
  owned::NewResult result_;
  const Trace* recorded_;
  simulate::RunNotes notes_;
};

}  // namespace ww::cli

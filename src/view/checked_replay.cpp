#include "view/checked_replay.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace ww::view {

Result<std::shared_ptr<const CheckedReplay>> CheckedReplay::make(
    std::shared_ptr<const Trace> trace, std::shared_ptr<const simulate::Program> program,
    std::optional<Conditions> conditions, MachineModel recorded_on, unsigned threads) {
  const std::shared_ptr<CheckedReplay> made(new CheckedReplay);
  made->trace_ = std::move(trace);
  made->program_ = std::move(program);
  made->conditions_ = std::move(conditions);
  made->recorded_on_ = std::move(recorded_on);
  const Replayable run{*made->program_, made->trace_.get(),
                       made->conditions_ ? &*made->conditions_ : nullptr};
  WW_TRY(made->run_, simulate::CheckedRun::make(run, made->recorded_on_, {.threads = threads}));
  return made;
}

Result<Prediction> CheckedReplay::predict(const WhatIf& what_if, const PredictOptions& options) const {
  return run_->predict(what_if, options);
}

std::shared_ptr<Lazy<CheckedReplay>> CheckedReplays::of(const MachineModel& recorded_on) {
  const std::string machine = json_text(to_json(recorded_on));
  const std::lock_guard lock(mutex_);
  const auto there =
      std::find_if(kept_.begin(), kept_.end(), [&](const One& one) { return one.machine == machine; });
  if (there != kept_.end())
    std::rotate(there, there + 1, kept_.end());
  else
    kept_.push_back({machine, std::make_shared<Lazy<CheckedReplay>>()});
  if (kept_.size() > most) kept_.erase(kept_.begin());
  return kept_.back().replay;
}

}  // namespace ww::view

#include <algorithm>
#include <optional>

#include "base/parallel.hpp"
#include "simulate/by_loggops.hpp"
#include "simulate/checked_run.hpp"
#include "simulate/play_on.hpp"
#include "simulate/program.hpp"
#include "simulate/simulate.hpp"

namespace ww {

using simulate::Program;

Result<Simulated> replay(const Trace& trace, const MachineModel& model, const SimulateOptions& options) {
  WW_TRY(const Program program, simulate::compile(trace));
  return simulate::play_on(program, model, options, model);
}

bool needs_trace(const WhatIf& what_if) {
  return !what_if.compute_scopes.empty();
}

Result<void> predict_each(const Replayable& run, const MachineModel& recorded_on, std::size_t count,
                          const std::function<Result<WhatIf>(std::size_t)>& what_if,
                          const std::function<void(std::size_t, Prediction&&)>& take,
                          const PredictOptions& options) {
  std::optional<simulate::CheckedRun> events;
  std::optional<simulate::ByLogGops> loggops;
  if (options.evaluator == Evaluator::events) {
    WW_TRY(events, simulate::CheckedRun::make(run, recorded_on, options));
  } else {
    WW_TRY(loggops, simulate::ByLogGops::make(run.program, recorded_on, options));
  }
  PredictOptions of_one = options;
  const auto one = [&](std::size_t i) -> Result<void> {
    WW_TRY(const WhatIf given, what_if(i));
    WW_TRY(Prediction prediction, events ? events->predict(given, of_one) : loggops->predict(given));
    if (loggops) prediction.load_s = run.program.load_s;
    take(i, std::move(prediction));
    return {};
  };
  const unsigned beside =
      static_cast<unsigned>(std::clamp<std::size_t>(count, 1, std::max(1U, options.threads)));
  of_one.threads = std::max(1U, options.threads / beside);
  if (loggops) loggops->work_on(of_one.threads);
  return in_parallel(count, beside, one);
}

Result<std::vector<Prediction>> predict_all(const Replayable& run, const MachineModel& recorded_on,
                                            const std::vector<WhatIf>& what_ifs,
                                            const PredictOptions& options) {
  std::vector<Prediction> out(what_ifs.size());
  WW_CHECK(predict_each(
      run, recorded_on, what_ifs.size(), [&](std::size_t i) -> Result<WhatIf> { return what_ifs[i]; },
      [&](std::size_t i, Prediction&& prediction) { out[i] = std::move(prediction); }, options));
  return out;
}

Result<std::vector<Prediction>> predict_all(const Trace& trace, const MachineModel& recorded_on,
                                            const std::vector<WhatIf>& what_ifs,
                                            const PredictOptions& options) {
  WW_TRY(const Program program, simulate::compile(trace));
  return predict_all(Replayable{program, &trace}, recorded_on, what_ifs, options);
}

Result<Prediction> predict(const Trace& trace, const MachineModel& recorded_on, const WhatIf& what_if) {
  WW_TRY(std::vector<Prediction> all, predict_all(trace, recorded_on, {what_if}));
  return std::move(all.front());
}

}  // namespace ww

#include "cli/simulate_predicted.hpp"

#include "cli/options.hpp"
#include "cli/show.hpp"
#include "trace/archive_entries.hpp"

namespace ww::cli {

PredictedRun::PredictedRun(owned::NewResult result, const Trace& recorded)
    : result_(std::move(result)),
      recorded_(&recorded),
      notes_(recorded.ranks.size(), recorded.messages.size()) {}

Result<std::unique_ptr<PredictedRun>> PredictedRun::begin(const std::string& name, bool force,
                                                          const Trace& recorded) {
  WW_TRY(owned::NewResult result, owned::NewResult::begin(name, trace_kind, previous_of(force)));
  return std::unique_ptr<PredictedRun>(new PredictedRun(std::move(result), recorded));
}

Result<void> PredictedRun::publish(const Prediction& prediction) {
  WW_CHECK(simulate::write_predicted(*recorded_, notes_, prediction, result_.directory()));
  WW_TRY(const auto said, result_.publish());
  say(said);
  return {};
}

}  // namespace ww::cli

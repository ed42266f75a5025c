#include "study/second_recording.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ww {
namespace {

constexpr double matters = 0.02;  // of the predicted time
// Of what the second recording moves a prediction by, as of software that is found in a trace (predict.cpp): the rule has one
// constant for all that keeps a computation from its caches, its neighbours on the other cores among it.
constexpr double doubtful = 0.5;

bool is_quicker(const Prediction& prediction) {
  return prediction.predicted_s < prediction.recorded_s;
}

double sum(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0);
}

// Two runs may differ by so much as the processor's clock does without being told apart ("frequency-changed").
constexpr double worth_a_run = 0.03;

}  // namespace

bool second_recording_matters(const Prediction& prediction) {
  return is_quicker(prediction) && prediction.computation_doubt_s > matters * prediction.predicted_s;
}

void take_cooled(std::vector<Prediction>& predictions, std::vector<Prediction>&& cooled) {
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!is_quicker(predictions[i])) continue;
    Prediction& other = cooled[i];
    const double doubt_s = doubtful * (other.predicted_s - predictions[i].predicted_s);
    other.predicted_low_s =
        std::max(0.0, other.predicted_s - std::hypot(other.predicted_s - other.predicted_low_s, doubt_s));
    other.predicted_high_s =
        other.predicted_s + std::hypot(other.predicted_high_s - other.predicted_s, doubt_s);
    other.doubts.push_back({"what a second recording moves", std::fabs(doubt_s), std::fabs(doubt_s)});
    predictions[i] = std::move(other);
  }
}

double compute_gain(const Prediction& prediction, const Trace& run) {
  if (!prediction.cooling || !prediction.cooling->depends()) return 1;
  double predicted_s = 0, run_s = 0;
  for (const SimulatedRank& rank : prediction.simulated.ranks) predicted_s += rank.compute_s;
  for (const auto& rank : simulate::computed_in(run).ranks) run_s += sum(rank.seconds);
  const double gain = predicted_s > 0 && run_s > 0 ? run_s / predicted_s : 1;
  return std::abs(gain - 1) > worth_a_run ? gain : 1;
}

}  // namespace ww

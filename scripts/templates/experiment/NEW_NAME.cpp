// What is measured, how the paper has it (section), and what the times exclude.
//
// As it stands: round trips of 1 KiB, one by one.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t bytes = 1024, most_trips = 100;

void lead(Session& session, double budget_s) {
  const double planned = budget_s / (4 * session.estimate_s(bytes) + 1e-6);
  const auto trips = static_cast<std::int64_t>(std::clamp(planned, 3.0, static_cast<double>(most_trips)));
  const std::vector<double> seconds = session.round_trips(bytes, bytes, trips);
  session.stop();
  session.emit("NEW-NAME", {{"bytes", bytes}, {"seconds", seconds}});
}

void follow(Session& session) {
  while (const auto order = session.next_order()) session.answer_round_trips(*order);
}

}  // namespace

const Experiment NEW_NAME{"NEW-NAME", "round trips of 1 KiB", 0.02, When::full_first, lead, follow};

}  // namespace ww::measure

// Half the round trip in small steps up to 16 KiB (S2's second sweep, which showed a jump at 506 doubles, 4 KiB):
// the sizes between those of the ping-pong, where a library or a kernel may change its way unexpectedly.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t largest = 16384, most_sizes = 256, fewest_sizes = 12, passes = 5;
constexpr double block_s = 100e-6;  // short round trips are taken several at a time

struct Step {
  std::int64_t bytes;
  std::vector<double> one_way_s = {};
};

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const double each_s =
      std::max(block_s, 2 * session.estimate_s(largest / 2)) + 2 * session.estimate_s(1) + 20e-6;
  const std::int64_t affordable = std::llround(budget_s / each_s / passes);
  const std::int64_t sizes = std::min(most_sizes, affordable);
  std::vector<Step> steps;
  for (std::int64_t i = 1; i <= sizes && sizes >= fewest_sizes; ++i)
    // off the powers of two by one in turns, so that both sides of a limit are met
    if (const std::int64_t bytes = largest * i / sizes - i % 2; bytes <= session.largest_bytes())
      steps.push_back({bytes});
  for (std::int64_t pass = 0; pass < passes && now_s() < end; ++pass) {
    std::shuffle(steps.begin(), steps.end(), session.random());
    for (Step& step : steps) {
      if (now_s() + each_s > end) break;
      const double round_trip_s = 2 * session.estimate_s(step.bytes);
      const std::int64_t block = std::clamp<std::int64_t>(std::llround(block_s / round_trip_s), 1, 20);
      step.one_way_s.push_back(session.round_trips(step.bytes, step.bytes, 1, block)[0] / 2);
    }
  }
  session.stop();
  for (const Step& step : steps)
    if (step.one_way_s.size() >= 3)
      session.emit("sweep", {{"bytes", step.bytes}, {"one_way_s", step.one_way_s}});
}

void follow(Session& session) {
  while (const auto order = session.next_order()) session.answer_round_trips(*order);
}

}  // namespace

const Experiment fine_sweep{"fine-sweep", "small steps up to 16 KiB", 0.08, When::full_first, lead, follow};

}  // namespace ww::measure

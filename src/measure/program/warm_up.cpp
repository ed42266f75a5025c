// Round trips until they are steady: connections are made on first use, caches and the clock rate settle, TCP
// opens its window. Gives the later experiments their first estimates of time.
#include <cmath>

#include "measure/program/experiment.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  double before = 0;
  for (int steady = 0; steady < 3 && now_s() < end - budget_s / 2;) {
    const double median = stats::median(session.round_trips(1, 1, 20));
    steady = std::fabs(median - before) < 0.05 * median ? steady + 1 : 0;
    before = median;
  }
  session.learn(1, before / 2);
  for (const std::int64_t bytes : {256, 1024, 8192, 65536}) {
    if (bytes > session.largest_bytes()) break;
    if (bytes > 1024 && now_s() + 6 * session.estimate_s(bytes) > end) break;
    session.learn(bytes, stats::median(session.round_trips(bytes, bytes, 3)) / 2);
  }
  session.stop();
}

void follow(Session& session) {
  while (const auto order = session.next_order()) session.answer_round_trips(*order);
}

}  // namespace

const Experiment warm_up{"warm-up", "round trips until they are steady", 0.05, When::always, lead, follow};

}  // namespace ww::measure

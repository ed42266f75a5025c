// The arithmetic of a reduction without its messages: MPI_Reduce_local of doubles, by size. The other rank
// has nothing to do.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"
#include "measure/program/in_turn.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr stats::StopRule stop_rule{0.02, 20};
constexpr std::size_t most_samples = 100;
constexpr int fewest_samples = 5;  // take milliseconds, and are taken even if others left no time
constexpr double block_s = 50e-6;  // of calls, so that the clock's own call does not count

struct Case {
  int count = 0;  // of doubles
  std::int64_t calls = 1;
  std::vector<double> seconds = {};
};

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t largest = session.largest_bytes();
  std::vector<Case> cases;
  for (std::int64_t bytes = 8; bytes <= largest; bytes *= 4) cases.push_back({static_cast<int>(bytes / 8)});
  std::vector<double> in(static_cast<std::size_t>(largest / 8 + 1), 1.0), inout(in.size(), 1.0);
  const auto time_calls = [&](const Case& one) {
    const double begin = now_s();
    for (std::int64_t i = 0; i < one.calls; ++i)
      MPI_Reduce_local(in.data(), inout.data(), one.count, MPI_DOUBLE, MPI_SUM);
    return (now_s() - begin) / static_cast<double>(one.calls);
  };
  for (Case& one : cases) {
    time_calls(one);  // warm
    const double each_s = std::max(1e-9, time_calls(one));
    one.calls = std::clamp<std::int64_t>(std::llround(block_s / each_s), 1, 100000);
  }
  for (int i = 0; i < fewest_samples; ++i)
    for (Case& one : cases) one.seconds.push_back(time_calls(one));
  in_turn(
      cases, end, session.random(),
      [](const Case& one) { return one.seconds.back() * static_cast<double>(one.calls); },
      [](const Case& one) { return one.seconds.size() >= most_samples || stop_rule.satisfied(one.seconds); },
      [&](Case& one) { one.seconds.push_back(time_calls(one)); });
  session.stop();
  for (const Case& one : cases)
    session.emit("reduction", {{"bytes", std::int64_t{one.count} * 8}, {"seconds", one.seconds}});
}

void follow(Session& session) {
  while (session.next_order()) {
  }
}

}  // namespace

const Experiment reduction{"reduction", "the arithmetic of reductions", 0.02, When::first, lead, follow};

}  // namespace ww::measure

// Messages a second when many are under way: windows of non-blocking sends into receives that are posted, a
// word back after each window.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"
#include "measure/program/in_turn.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t window = 64;
constexpr std::size_t most_samples = 200;
constexpr stats::StopRule stop_rule{0.01, 12};

struct Rate {
  std::int64_t bytes;
  std::vector<double> window_s = {};
};

void sample(Session& session, Rate& rate, std::int64_t windows) {
  session.order({1, rate.bytes, 0, windows});
  std::vector<MPI_Request> requests(window);
  for (std::int64_t i = 0; i < windows; ++i) {
    session.receive(1);  // the receives are posted
    const double begin = now_s();
    for (MPI_Request& request : requests) request = session.begin_send(rate.bytes);
    MPI_Waitall(static_cast<int>(window), requests.data(), MPI_STATUSES_IGNORE);
    session.receive(1);
    if (i > 0) rate.window_s.push_back(now_s() - begin);
  }
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  std::vector<Rate> rates;
  for (const std::int64_t bytes : {1, 64, 512, 2048, 8192, 32768})
    if (bytes <= session.largest_bytes()) rates.push_back({bytes});
  const auto window_s = [&](const Rate& rate) {
    return static_cast<double>(window) * session.estimate_s(rate.bytes);
  };
  in_turn(
      rates, end, session.random(), [&](const Rate& rate) { return 3 * window_s(rate); },
      [](const Rate& rate) {
        return rate.window_s.size() >= most_samples || stop_rule.satisfied(rate.window_s);
      },
      [&](Rate& rate) {
        sample(session, rate, std::clamp<std::int64_t>(std::llround(5e-3 / window_s(rate)), 2, 20));
      });
  session.stop();
  for (const Rate& rate : rates)
    if (!rate.window_s.empty())
      session.emit("message-rate", {{"bytes", rate.bytes}, {"window", window}, {"window_s", rate.window_s}});
}

void follow(Session& session) {
  std::vector<MPI_Request> requests(window);
  while (const auto order = session.next_order())
    for (std::int64_t i = 0; i < order->count; ++i) {
      for (MPI_Request& request : requests) request = session.begin_receive(order->bytes);
      session.send(1);
      MPI_Waitall(static_cast<int>(window), requests.data(), MPI_STATUSES_IGNORE);
      session.send(1);
    }
}

}  // namespace

const Experiment message_rate{
    "message-rate", "messages a second with many under way", 0.03, When::full_first, lead, follow};

}  // namespace ww::measure

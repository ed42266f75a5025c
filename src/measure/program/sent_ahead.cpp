// How much of a message above the eager threshold the sender's system takes ahead of the wire: how long the call of the send takes
// beside the time until the receiver has it all. Over TCP the kernel takes megabytes, and the sender goes on as if the message had left.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t least_times = 2, most_times = 7;

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t threshold = session.eager_threshold_bytes.value_or(session.largest_bytes());
  for (std::int64_t bytes = 2 * threshold; bytes <= session.largest_bytes(); bytes *= 2) {
    const double each_s = session.estimate_s(bytes) + session.estimate_s(1);
    const auto affordable = static_cast<std::int64_t>(0.5 * (end - now_s()) / each_s);
    if (affordable < least_times) break;
    const std::int64_t count = std::min(most_times, affordable);
    session.order({0, bytes, 1, count});
    std::vector<double> send_s, there_s;
    for (std::int64_t i = 0; i < count; ++i) {
      const double begin = now_s();
      session.send(bytes);
      const double sent = now_s();
      session.receive(1);
      send_s.push_back(sent - begin);
      there_s.push_back(now_s() - begin - session.estimate_s(1));
    }
    session.emit("sent-ahead", {{"bytes", bytes}, {"send_s", send_s}, {"there_s", there_s}});
  }
  session.stop();
}

void follow(Session& session) {
  while (const auto order = session.next_order()) session.answer_round_trips(*order);
}

}  // namespace

const Experiment sent_ahead{
    "sent-ahead", "how much of large messages is taken ahead of the wire", 0.04, When::first, lead, follow};

}  // namespace ww::measure

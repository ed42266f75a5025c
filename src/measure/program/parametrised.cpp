// Parametrised round trips (Hoefler, Lichei, Rehm 2007): PRTT(n, d, s) is the time from the first of n
// messages of s bytes, d seconds of computation after each but the last, to the one reply of s bytes. From
// PRTT(1, 0, s), PRTT(n, 0, s) and PRTT(n, d, s) with d = PRTT(1, 0, s) the fit takes g, G, o_s, L; o_r is
// the time of receive calls whose message is there. All three are taken in turn, so that a drift moves them
// alike.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"
#include "measure/program/in_turn.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t train = 10;
constexpr std::size_t most_samples = 60;
enum Kind : std::int64_t { trip = 1, waiting = 2 };

struct Trips {
  std::int64_t bytes;
  std::vector<double> one_s = {}, train_s = {}, delayed_s = {}, delay_s = {}, receive_s = {};
};

double prtt(Session& session, std::int64_t messages, double delay_s, std::int64_t bytes) {
  session.order({trip, bytes, bytes, messages});
  const double begin = now_s();
  for (std::int64_t i = 0; i < messages; ++i) {
    session.send(bytes);
    if (delay_s > 0 && i + 1 < messages) spin(delay_s);
  }
  session.receive(bytes);
  return now_s() - begin;
}

double receive_of_what_is_there(Session& session, std::int64_t bytes) {
  session.order({waiting, bytes, 0, 1});
  session.send(1);
  spin(2 * session.estimate_s(1) + 1.5 * session.estimate_s(bytes) + 100e-6);
  const double begin = now_s();
  session.receive(bytes);
  return now_s() - begin;
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  std::vector<Trips> all;
  const std::int64_t largest =
      std::min(session.eager_threshold_bytes.value_or(16384), session.largest_bytes());
  for (const std::int64_t bytes : {1, 256, 1024, 4096, 16384})
    if (bytes <= largest) all.push_back({bytes});
  const auto each_s = [&](const Trips& trips) {
    return 2.5 * static_cast<double>(2 * train) * (session.estimate_s(trips.bytes) + 2e-6);
  };
  in_turn(
      all, end, session.random(), each_s,
      [](const Trips& trips) { return trips.one_s.size() >= most_samples; },
      [&](Trips& trips) {
        const double one_s = prtt(session, 1, 0, trips.bytes);
        trips.one_s.push_back(one_s);
        trips.train_s.push_back(prtt(session, train, 0, trips.bytes));
        trips.delay_s.push_back(one_s);
        trips.delayed_s.push_back(prtt(session, train, one_s, trips.bytes));
        trips.receive_s.push_back(receive_of_what_is_there(session, trips.bytes));
      });
  session.stop();
  for (const Trips& trips : all)
    if (trips.one_s.size() >= 3)
      session.emit("parametrised", {{"bytes", trips.bytes},
                                    {"train", train},
                                    {"one_s", trips.one_s},
                                    {"train_s", trips.train_s},
                                    {"delayed_s", trips.delayed_s},
                                    {"delay_s", trips.delay_s},
                                    {"receive_s", trips.receive_s}});
}

void follow(Session& session) {
  while (const auto order = session.next_order()) {
    if (order->kind == trip) {
      for (std::int64_t i = 0; i < order->count; ++i) session.receive(order->bytes);
      session.send(order->back_bytes);
    } else {
      session.receive(1);
      session.send(order->bytes);
    }
  }
}

}  // namespace

const Experiment parametrised{"parametrised", "round trips of trains of messages: g, G, o_s, o_r, L",
                              0.05,           When::full_first,
                              lead,           follow};

}  // namespace ww::measure

// S1's experiments 3 and 4 in their simplest form. F: how long the call of an eager send takes. A + U: how
// long the call of a receive takes whose message is already there. A: how long it takes to post a receive
// before its message comes.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "measure/program/experiment.hpp"
#include "measure/program/in_turn.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr stats::StopRule stop_rule{0.02, 60};
constexpr std::size_t most_samples = 200;
enum Kind : std::int64_t { send_call = 0, receive_call = 1, post_call = 2 };

struct Cost {
  Kind kind;
  std::int64_t bytes;
  std::vector<double> seconds = {};
};

void sample_send(Session& session, Cost& cost, std::int64_t count) {
  session.order({send_call, cost.bytes, 1, count});
  for (std::int64_t i = 0; i < count; ++i) {
    const double begin = now_s();
    session.send(cost.bytes);
    cost.seconds.push_back(now_s() - begin);
    session.receive(1);  // everything has left before the next
  }
}

void sample_receive(Session& session, Cost& cost, std::int64_t count) {
  session.order({receive_call, 1, cost.bytes, count});
  const double arrives_s = 1.3 * (session.estimate_s(1) + session.estimate_s(cost.bytes)) + 100e-6;
  for (std::int64_t i = 0; i < count; ++i) {
    session.send(1);
    spin(arrives_s);
    const double begin = now_s();
    session.receive(cost.bytes);
    cost.seconds.push_back(now_s() - begin);
  }
}

void sample_post(Session& session, Cost& cost, std::int64_t count) {
  session.order({post_call, 1, cost.bytes, count});
  for (std::int64_t i = 0; i < count; ++i) {
    const double begin = now_s();
    MPI_Request request = session.begin_receive(cost.bytes);
    cost.seconds.push_back(now_s() - begin);
    session.send(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void sample(Session& session, Cost& cost, std::int64_t count) {
  switch (cost.kind) {
    case send_call:
      return sample_send(session, cost, count);
    case receive_call:
      return sample_receive(session, cost, count);
    case post_call:
      return sample_post(session, cost, count);
  }
}

const char* term_of(Kind kind) {
  return kind == send_call ? "F" : kind == receive_call ? "A+U" : "A";
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t largest =
      std::min(session.eager_threshold_bytes.value_or(65536), session.largest_bytes());
  std::vector<Cost> costs;
  std::set<std::int64_t> sizes{1, 16, 64, 256, largest};
  for (std::int64_t bytes = 512; bytes < largest; bytes *= 2) sizes.insert(bytes);
  // those of underlying_computation, which needs the calls' own times beside its own
  if (session.terms().launch == 0 && !session.terms().quick)
    for (const std::int64_t bytes : underlying_sizes)
      if (bytes <= largest) sizes.insert(bytes);
  for (const std::int64_t bytes : sizes)
    for (const Kind kind : {send_call, receive_call, post_call})
      if (bytes <= largest) costs.push_back({kind, bytes});
  const auto each_s = [&](const Cost& cost) {
    return 1.5 * (session.estimate_s(cost.bytes) + session.estimate_s(1)) + 100e-6;
  };
  in_turn(
      costs, end, session.random(), each_s,
      [](const Cost& cost) {
        return cost.seconds.size() >= most_samples || stop_rule.satisfied(cost.seconds);
      },
      [&](Cost& cost) {
        sample(session, cost, std::clamp<std::int64_t>(std::llround(0.02 / each_s(cost)), 1, 20));
      });
  session.stop();
  for (const Cost& cost : costs)
    if (!cost.seconds.empty())
      session.emit("cost", {{"term", term_of(cost.kind)}, {"bytes", cost.bytes}, {"seconds", cost.seconds}});
}

void follow(Session& session) {
  while (const auto order = session.next_order()) session.answer_round_trips(*order);
}

}  // namespace

const Experiment software_costs{
    "software-costs", "how long the calls of send and receive take", 0.10, When::always, lead, follow};

}  // namespace ww::measure

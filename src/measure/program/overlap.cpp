// How much of a transfer a computation hides: the transfer alone (non-blocking send, wait, a word back), the
// computation alone (about as long), and both (send, compute without a call, wait, word). The receiver waits
// in its receive.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/computation.hpp"
#include "measure/program/experiment.hpp"
#include "measure/program/in_turn.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr std::size_t most_samples = 40;
constexpr stats::StopRule stop_rule{0.01, 9};

struct Overlap {
  std::int64_t bytes;
  std::vector<double> transfer_s = {}, computation_s = {}, both_s = {};
};

double transfer(Session& session, std::int64_t bytes, std::int64_t turns) {
  session.order({1, bytes, 0, 1});
  const double begin = now_s();
  MPI_Request request = session.begin_send(bytes);
  if (turns > 0) compute(Arithmetic::floating, turns);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  session.receive(1);
  return now_s() - begin;
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  std::vector<Overlap> all;
  for (const std::int64_t bytes : {1024, 16384, 65536, 262144, 1048576})
    if (bytes <= session.largest_bytes()) all.push_back({bytes});
  in_turn(
      all, end, session.random(),
      [&](const Overlap& one) {
        return 3.2 * (session.estimate_s(one.bytes) + session.estimate_s(1)) + 1e-4;
      },
      [](const Overlap& one) { return one.both_s.size() >= most_samples || stop_rule.satisfied(one.both_s); },
      [&](Overlap& one) {
        const double alone_s = transfer(session, one.bytes, 0);
        const std::int64_t turns = turns_for(Arithmetic::floating, alone_s);
        const double begin = now_s();
        compute(Arithmetic::floating, turns);
        one.computation_s.push_back(now_s() - begin);
        one.transfer_s.push_back(alone_s);
        one.both_s.push_back(transfer(session, one.bytes, turns));
      });
  session.stop();
  for (const Overlap& one : all)
    if (one.both_s.size() >= 2)
      session.emit("overlap", {{"bytes", one.bytes},
                               {"transfer_s", one.transfer_s},
                               {"computation_s", one.computation_s},
                               {"both_s", one.both_s}});
}

void follow(Session& session) {
  while (const auto order = session.next_order()) {
    session.receive(order->bytes);
    session.send(1);
  }
}

}  // namespace

const Experiment overlap{
    "overlap", "how much of a transfer a computation hides", 0.04, When::full_first, lead, follow};

}  // namespace ww::measure

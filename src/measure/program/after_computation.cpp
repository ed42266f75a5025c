// The calls of an eager send and of a receive whose message is there, right after a stretch of computation
// that used its data, next to the same calls in a loop that does nothing else: what a ping-pong calls
// software is less than what a program pays.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/program/computation.hpp"
#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

constexpr double computed_s = 300e-6;
constexpr std::size_t data_bytes = 4 << 20;  // more than a core's own cache of today
constexpr std::size_t most_samples = 60, line_bytes = 64;
enum Kind : std::int64_t { send_call = 1, receive_call = 2 };

struct Call {
  Kind kind;
  std::int64_t bytes;
  std::vector<double> warm_s = {}, after_s = {};
};

// As a program does between its calls: some arithmetic, and a pass over its data.
void compute_on(std::vector<char>& data) {
  for (std::size_t i = 0; i < data.size(); i += line_bytes) ++data[i];
  compute(Arithmetic::floating, turns_for(Arithmetic::floating, computed_s));
}

double timed(Session& session, const Call& call, std::vector<char>* data) {
  session.order({call.kind, call.bytes, 0, 1});
  if (call.kind == receive_call) {
    session.send(1);
    spin(2 * session.estimate_s(1) + 1.3 * session.estimate_s(call.bytes) + 100e-6);
  }
  if (data != nullptr) compute_on(*data);
  const double begin = now_s();
  if (call.kind == send_call)
    session.send(call.bytes);
  else
    session.receive(call.bytes);
  const double seconds = now_s() - begin;
  if (call.kind == send_call) session.receive(1);
  return seconds;
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t largest =
      std::min(session.eager_threshold_bytes.value_or(8192), session.largest_bytes());
  std::vector<Call> calls;
  for (const std::int64_t bytes : {8, 1024, 8192})
    if (bytes <= largest)
      for (const Kind kind : {send_call, receive_call}) calls.push_back({kind, bytes});
  std::vector<char> data(data_bytes, 1);
  for (std::size_t i = 0; i < most_samples; ++i)
    for (Call& call : calls) {
      const double each_s = 2 * (computed_s + 2 * session.estimate_s(call.bytes)) + 2e-3;
      if (now_s() + each_s > end) continue;
      // the one before leaves the calls warm; the first of each pair only does that
      timed(session, call, nullptr);
      call.warm_s.push_back(timed(session, call, nullptr));
      call.after_s.push_back(timed(session, call, &data));
    }
  session.stop();
  for (const Call& call : calls)
    if (call.after_s.size() >= 3)
      session.emit("after-computation", {{"bytes", call.bytes},
                                         {"call", call.kind == send_call ? "send" : "receive"},
                                         {"warm_s", call.warm_s},
                                         {"after_s", call.after_s}});
}

void follow(Session& session) {
  while (const auto order = session.next_order())
    if (order->kind == send_call) {
      session.receive(order->bytes);
      session.send(1);
    } else {
      session.receive(1);
      session.send(order->bytes);
    }
}

}  // namespace

const Experiment after_computation{
    "after-computation", "calls after a stretch of computation", 0.04, When::full_first, lead, follow};

}  // namespace ww::measure

// S1's experiments with a computation Q under the communication, between two neighbours. 2: messages arrive
// while the leader computes, without a call; what Q takes longer is R, the receiver's load. 4: the leader
// sends and computes at once; what both take longer than Q alone is F + S. 1 and 6: the echo, and with its
// receive posted before; both with idle processors, that wait in the library, and with Q going on after every
// send on either side, where the other one computes for a time X first, which it times itself and which is
// subtracted. Several messages of 2 and 4 share one Q, so that the excess is more than the clock's and the
// processor's own unrest; Q alone is timed in turn with Q under messages.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/computation.hpp"
#include "measure/program/experiment.hpp"
#include "measure/program/in_turn.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t unread_bytes = 32768;  // that wait in the kernel's buffers without being read
constexpr std::size_t most_samples = 120;
constexpr int word_tag = 5;
enum Kind : std::int64_t {
  arriving = 1,
  sending = 2,
  echo = 3,
  posted_echo = 4,
  busy_echo = 5,
  busy_posted_echo = 6
};
// Of orders: echoes whose follower computes so for back_bytes ns before it answers, and for count ns after.
enum Answer : std::int64_t { after_integers = 5, after_floating = 6 };
constexpr int echoes = 6;

int number_of(std::int64_t kind) {
  switch (kind) {
    case echo:
    case busy_echo:
      return 1;
    case arriving:
      return 2;
    case sending:
      return 4;
    default:
      return 6;
  }
}

struct Case {
  std::int64_t kind;
  std::int64_t bytes;
  Arithmetic arithmetic;
  std::vector<double> seconds = {};
};

std::int64_t messages_of(std::int64_t bytes) {
  return std::clamp<std::int64_t>(unread_bytes / std::max<std::int64_t>(bytes, 1), 1, 8);
}

void wait_for_word(Session& session) {
  char word = 0;
  MPI_Recv(&word, 1, MPI_BYTE, session.partner(), word_tag, session.comm(), MPI_STATUS_IGNORE);
}

void give_word(Session& session) {
  const char word = 0;
  MPI_Send(&word, 1, MPI_BYTE, session.partner(), word_tag, session.comm());
}

double timed(Arithmetic arithmetic, std::int64_t turns) {
  const double begin = now_s();
  compute(arithmetic, turns);
  return now_s() - begin;
}

// Q lasts long enough for all messages to come and go, and then some.
double q_of(const Session& session, std::int64_t bytes) {
  return 3e-4 + 1.5 * static_cast<double>(messages_of(bytes)) * session.estimate_s(bytes) +
         2 * session.estimate_s(1);
}

// How long the follower of a busy echo computes: until the leader, which computes for half of that after its send, waits
// for the answer. And how long both go on, until what they sent has left and the other one waits.
double x_of(const Session& session, std::int64_t bytes) {
  return 1e-4 + 2 * session.estimate_s(bytes);
}
double rest_of(const Session& session, std::int64_t bytes) {
  return 3e-5 + session.estimate_s(bytes);
}

void sample_busy_echo(Session& session, Case& one) {
  const double x_s = x_of(session, one.bytes);
  const std::int64_t under = turns_for(one.arithmetic, x_s / 2),
                     rest = turns_for(one.arithmetic, 2 * rest_of(session, one.bytes));
  session.order({one.arithmetic == Arithmetic::integer ? after_integers : after_floating, one.bytes,
                 std::llround(x_s * 1e9), std::llround(rest_of(session, one.bytes) * 1e9)});
  std::vector<double> round_trip_s, x_took_s(echoes);
  for (std::int64_t i = 0; i < echoes; ++i) {
    MPI_Request request = one.kind == busy_posted_echo ? session.begin_receive(one.bytes) : MPI_REQUEST_NULL;
    const double begin = now_s();
    session.send(one.bytes);
    compute(one.arithmetic, under);
    if (one.kind == busy_posted_echo)
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
      session.receive(one.bytes);
    round_trip_s.push_back(now_s() - begin);
    compute(one.arithmetic, rest);
  }
  MPI_Recv(x_took_s.data(), echoes, MPI_DOUBLE, session.partner(), word_tag, session.comm(),
           MPI_STATUS_IGNORE);
  for (std::size_t i = 1; i < round_trip_s.size(); ++i) one.seconds.push_back(round_trip_s[i] - x_took_s[i]);
}

void answer_busy_echo(Session& session, const Order& order) {
  const Arithmetic arithmetic = order.kind == after_integers ? Arithmetic::integer : Arithmetic::floating;
  const std::int64_t turns = turns_for(arithmetic, static_cast<double>(order.back_bytes) * 1e-9),
                     rest = turns_for(arithmetic, static_cast<double>(order.count) * 1e-9);
  std::vector<double> x_took_s;
  for (std::int64_t i = 0; i < echoes; ++i) {
    session.receive(order.bytes);
    x_took_s.push_back(timed(arithmetic, turns));
    session.send(order.bytes);
    compute(arithmetic, rest);
  }
  MPI_Send(x_took_s.data(), echoes, MPI_DOUBLE, session.partner(), word_tag, session.comm());
}

double expected_s(const Session& session, const Case& one) {
  if (one.kind != busy_echo && one.kind != busy_posted_echo) return 4 * q_of(session, one.bytes);
  return echoes *
         (x_of(session, one.bytes) + 2 * rest_of(session, one.bytes) + 2 * session.estimate_s(one.bytes));
}

void sample(Session& session, Case& one) {
  if (one.kind == busy_echo || one.kind == busy_posted_echo) return sample_busy_echo(session, one);
  const std::int64_t messages = messages_of(one.bytes);
  const double q_s = q_of(session, one.bytes);
  const std::int64_t turns = turns_for(one.arithmetic, q_s);
  if (one.kind == echo) {
    for (const double round_trip_s : session.round_trips(one.bytes, one.bytes, echoes))
      one.seconds.push_back(round_trip_s);
    return;
  }
  if (one.kind == posted_echo) {
    session.order({posted_echo, one.bytes, one.bytes, echoes});
    for (std::int64_t i = 0; i < echoes; ++i) {
      MPI_Request request = session.begin_receive(one.bytes);
      const double begin = now_s();
      session.send(one.bytes);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      one.seconds.push_back(now_s() - begin);
    }
    return;
  }
  session.order({one.kind, one.bytes, std::llround(q_s * 1e9), messages});
  // the first turns after a call are slower than those of a computation that goes on
  timed(one.arithmetic, turns / 10 + 1);
  const double alone_s = timed(one.arithmetic, turns);
  double with_s = 0;
  if (one.kind == arriving) {
    give_word(session);  // the messages start, and nothing calls the library until Q is done
    with_s = timed(one.arithmetic, turns);
    for (std::int64_t i = 0; i < messages; ++i) session.receive(one.bytes);
  } else {
    const double begin = now_s();
    for (std::int64_t i = 0; i < messages; ++i) session.send(one.bytes);
    compute(one.arithmetic, turns);
    with_s = now_s() - begin;
    wait_for_word(session);
  }
  const double alone_again_s = timed(one.arithmetic, turns);
  one.seconds.push_back((with_s - (alone_s + alone_again_s) / 2) / static_cast<double>(messages));
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t largest =
      std::min({session.eager_threshold_bytes.value_or(16384), session.largest_bytes(), std::int64_t{16384}});
  std::vector<Case> cases;
  for (const std::int64_t bytes : underlying_sizes) {
    if (bytes > largest) continue;
    for (const Arithmetic arithmetic : {Arithmetic::integer, Arithmetic::floating})
      for (const std::int64_t kind : {arriving, sending, busy_echo, busy_posted_echo})
        cases.push_back({kind, bytes, arithmetic});
    for (const std::int64_t kind : {echo, posted_echo}) cases.push_back({kind, bytes, Arithmetic::integer});
  }
  in_turn(
      cases, end, session.random(), [&](const Case& one) { return expected_s(session, one); },
      [](const Case& one) { return one.seconds.size() >= most_samples; },
      [&](Case& one) { sample(session, one); });
  session.stop();
  for (const Case& one : cases) {
    if (one.seconds.empty()) continue;
    session.emit("six", {{"experiment", number_of(one.kind)},
                         {"hops", 1},
                         {"bytes", one.bytes},
                         {"computation",
                          one.kind == echo || one.kind == posted_echo ? "none" : to_string(one.arithmetic)},
                         {"seconds", one.seconds}});
  }
}

void follow(Session& session) {
  while (const auto order = session.next_order()) {
    const double q_s = static_cast<double>(order->back_bytes) * 1e-9;
    switch (order->kind) {
      case arriving:
        wait_for_word(session);
        // not while the word itself is still being sent; all arrive in the first two thirds of Q
        spin(0.1 * q_s);
        for (std::int64_t i = 0; i < order->count; ++i) session.send(order->bytes);
        break;
      case sending:
        for (std::int64_t i = 0; i < order->count; ++i) session.receive(order->bytes);
        // the word must not disturb the sender's Q
        spin(q_s);
        give_word(session);
        break;
      case after_integers:
      case after_floating:
        answer_busy_echo(session, *order);
        break;
      default:
        session.answer_round_trips(*order);
    }
  }
}

}  // namespace

const Experiment underlying_computation{
    "underlying-computation", "what messages take from a computation", 0.20, When::full_first, lead, follow};

}  // namespace ww::measure

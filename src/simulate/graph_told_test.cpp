// Runs predicted by windows and free, as traces. Expected: closed forms of LogGOPS by the rules in
// schedule/loggops.hpp; where the events engine ends at the same times, its archive; and that what is told ends
// when the evaluator says, and is evaluated again in the same time.
#include "simulate/graph_told.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "machine/presets.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/predicted_run.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww::simulate {
namespace {

struct Archive {
  Prediction prediction;
  Trace trace;
  std::optional<Conditions> conditions;
};

Archive predicted_by(Evaluator evaluator, const Trace& recorded, const MachineModel& machine,
                     unsigned threads = 1, const char* what_if = nullptr) {
  const spool::TestDir dir;
  const auto program = compile(recorded);
  RunNotes notes(recorded.ranks.size(), recorded.messages.size());
  const auto all = predict_all(Replayable{*program, &recorded}, machine,
                               {what_if != nullptr ? *parse_what_if(what_if) : WhatIf{}},
                               {.evaluator = evaluator, .threads = threads, .observer = &notes});
  EXPECT_TRUE(all) << (all ? "" : to_string(all.error()));
  const auto written = write_predicted(recorded, notes, all->front(), dir.path());
  EXPECT_TRUE(written) << (written ? "" : to_string(written.error()));
  return {all->front(), *load_trace(dir.path()), *conditions_of(dir.path())};
}

// Ranks on hosts of their own, which begin at 100 ns.
ww::TraceBuilder begun(std::size_t ranks) {
  ww::TraceBuilder builder(ranks, 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    builder.trace().ranks[r].host = "host" + std::to_string(r);
    builder.trace().ranks[r].begin_ns = 100;
    builder.call(r, "MPI_Init", 0, 100);
  }
  return builder;
}

void end_rank(ww::TraceBuilder& builder, std::size_t rank, std::int64_t at_ns) {
  builder.trace().ranks[rank].end_ns = at_ns;
  builder.call(rank, "MPI_Finalize", at_ns, at_ns + 50);
}

// Rank 0 sends at 1 ms, for which rank 1 waits since 10 us.
Archive told_message(Evaluator evaluator, std::uint64_t bytes, const char* what_if = nullptr) {
  ww::TraceBuilder builder = begun(2);
  builder.call(0, "MPI_Send", 1'000'000, 1'000'500, {message_action(ActionKind::send, 1, 7, bytes)});
  end_rank(builder, 0, 2'000'000);
  builder.call(1, "MPI_Recv", 10'000, 1'500'000, {message_action(ActionKind::recv, 0, 7, bytes)});
  end_rank(builder, 1, 1'700'000);
  return predicted_by(evaluator, builder.matched(), *find_preset("loggops-default"), 1, what_if);
}

// One message is in nobody's way: both give it the same times.
class ToldByBoth : public testing::TestWithParam<Evaluator> {};
INSTANTIATE_TEST_SUITE_P(Evaluators, ToldByBoth, testing::Values(Evaluator::windows, Evaluator::free));

// L 2500 ns, o 1500, g 1000, G 6 a byte: o in the send; o + L after its begin the first byte is there, the
// processor of the receiver takes o and G for each byte more.
TEST_P(ToldByBoth, ASmallMessage) {
  const Archive out = told_message(GetParam(), 1001);
  const RankTrace &sender = out.trace.ranks[0], &receiver = out.trace.ranks[1];
  EXPECT_EQ(sender.enter_ns[1], 1'000'000);
  EXPECT_EQ(sender.leave_ns[1], 1'001'500);
  EXPECT_TRUE(sender.waits.empty());
  EXPECT_EQ(receiver.enter_ns[1], 10'000);
  EXPECT_EQ(receiver.leave_ns[1], 1'004'000 + 1'500 + 6'000);
  EXPECT_EQ(receiver.end_ns, receiver.leave_ns[1] + 200'000);
  ASSERT_EQ(receiver.waits.size(), 1u);
  EXPECT_EQ(receiver.waits[0].call, 1u);
  EXPECT_EQ(receiver.waits[0].from_ns, 10'000);
  EXPECT_EQ(receiver.waits[0].begun_ns, 1'000'000);
  EXPECT_EQ(receiver.waits[0].to_ns, 1'004'000);
  EXPECT_EQ(receiver.waits[0].by, 0);
  ASSERT_EQ(sender.ways.size(), 1u);
  EXPECT_EQ(sender.ways[0].arrived_ns, 1'004'000 + 6'000);
  EXPECT_EQ(sender.ways[0].left_ns, 1'001'500 + 6'000) << "L before";
  EXPECT_NEAR(out.trace.elapsed_s(), out.prediction.predicted_s, 1e-9);
}

// Above 65535 bytes: the request as above, at 1005.5 us the receiver's processor has taken it and answers, at
// 1011 us the sender's has taken that and begins with the data.
TEST_P(ToldByBoth, ALargeMessage) {
  const Archive out = told_message(GetParam(), 100'000);
  const RankTrace &sender = out.trace.ranks[0], &receiver = out.trace.ranks[1];
  ASSERT_EQ(sender.waits.size(), 1u);
  EXPECT_EQ(sender.waits[0].from_ns, 1'001'500);
  EXPECT_EQ(sender.waits[0].begun_ns, 1'001'500) << "the receive had begun before";
  EXPECT_EQ(sender.waits[0].to_ns, 1'011'000);
  EXPECT_EQ(sender.waits[0].by, 1);
  EXPECT_EQ(sender.leave_ns[1], 1'012'500);
  ASSERT_EQ(receiver.waits.size(), 1u);
  EXPECT_EQ(receiver.waits[0].to_ns, 1'015'000);
  EXPECT_EQ(receiver.leave_ns[1], 1'015'000 + 1'500 + 99'999 * 6);
}

// Its machine is what LogGOPS says of the what-if, and a replay of the archive is one by the same evaluator.
TEST_P(ToldByBoth, KnowsWhatItWasPredictedUnder) {
  const Archive out = told_message(GetParam(), 1001, "latency=x2,bandwidth=x6,compute=x2");
  EXPECT_EQ(out.trace.ranks[1].leave_ns[1], 100 + 999'900 / 2 + 1'500 + 5'000 + 1'500 + 1'000);
  ASSERT_TRUE(out.conditions);
  EXPECT_EQ(out.conditions->evaluator, GetParam());
  ASSERT_TRUE(out.conditions->model.loggops);
  EXPECT_DOUBLE_EQ(out.conditions->model.loggops->L_s, 5000e-9);
  EXPECT_DOUBLE_EQ(out.conditions->model.loggops->G_s_per_byte, 1e-9);
  EXPECT_EQ(out.conditions->model.loggops->o_s, 1500e-9);
  const auto again = predict_all(Replayable{*compile(out.trace), &out.trace, &*out.conditions},
                                 out.conditions->model, {WhatIf{}}, {.evaluator = GetParam()});
  ASSERT_TRUE(again);
  EXPECT_NEAR(again->front().predicted_s, out.prediction.predicted_s, 1e-9);
}

// A collective of which no algorithm is known: rank 0 enters at 10 us, rank 1 at 50; it took 10 us more. When
// rank 1 has computed, both its own message and rank 0's could be served: its own came into being when the
// computation was begun, and is first.
TEST(ToldByWindows, ACollectiveThatIsKeptAsLongAsRecorded) {
  ww::TraceBuilder builder = begun(2);
  builder.call(0, "MPI_Comm_dup", 10'000, 60'000, {collective_action(0, 0)});
  builder.call(1, "MPI_Comm_dup", 50'000, 60'000, {collective_action(0, 0)});
  for (std::size_t rank : {0u, 1u}) end_rank(builder, rank, 100'000);
  const Archive out = predicted_by(Evaluator::windows, builder.matched(), *find_preset("loggops-default"));
  const RankTrace &first = out.trace.ranks[0], &last = out.trace.ranks[1];
  ASSERT_EQ(first.waits.size(), 1u);
  EXPECT_EQ(first.waits[0].from_ns, 11'500);
  EXPECT_EQ(first.waits[0].begun_ns, 50'000);
  EXPECT_EQ(first.waits[0].to_ns, 50'000 + 4'000);
  EXPECT_EQ(first.waits[0].by, 1);
  EXPECT_EQ(first.leave_ns[1], 54'000 + 1'500 + 10'000);
  EXPECT_TRUE(last.waits.empty());
  EXPECT_EQ(last.leave_ns[1], 51'500 + 1'500 + 10'000);
}

// Rounds in which each rank computes, exchanges with one that is so far away, and computes before it waits; a
// reduction of a byte.
Trace random_run(std::uint32_t seed, std::size_t ranks, std::uint64_t largest) {
  std::mt19937 random(seed);
  ww::TraceBuilder builder = begun(ranks);
  std::vector<std::int64_t> now(ranks, 100);
  for (std::uint64_t round = 1; round <= 12; ++round) {
    const std::size_t distance = 1 + random() % (ranks - 1);
    const std::uint64_t bytes = 1 + random() % largest;
    const bool reduces = random() % 3 == 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto to = static_cast<std::int32_t>((r + distance) % ranks),
                 from = static_cast<std::int32_t>((r + ranks - distance) % ranks);
      const auto call = [&](const char* name, const std::vector<Action>& actions) {
        builder.call(r, name, now[r], now[r] + 200, actions);
        now[r] += 200;
      };
      now[r] += static_cast<std::int64_t>(random() % 1'000'000);
      call("MPI_Irecv", {message_action(ActionKind::irecv, from, 7, bytes, 2 * round)});
      call("MPI_Isend", {message_action(ActionKind::isend, to, 7, bytes, 2 * round + 1)});
      now[r] += static_cast<std::int64_t>(random() % 300'000);
      call("MPI_Waitall", {message_action(ActionKind::irecv_done, from, 7, bytes, 2 * round),
                           message_action(ActionKind::isend_done, to, 7, bytes, 2 * round + 1)});
      now[r] += static_cast<std::int64_t>(random() % 10'000);
      if (reduces) call("MPI_Allreduce", {collective_action(1, 1)});
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) end_rank(builder, r, now[r] + 12'345);
  return builder.matched();
}

double difference_s(const Column<std::int64_t>& a, const Column<std::int64_t>& b) {
  double most_ns = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    most_ns = std::max(most_ns, std::fabs(static_cast<double>(a[i] - b[i])));
  return most_ns * 1e-9;
}

double blocked_s(const RankTrace& rank) {
  std::int64_t ns = 0;
  for (const KnownWait& wait : rank.waits) ns += wait.to_ns - wait.from_ns;
  return static_cast<double>(ns) * 1e-9;
}

// Messages without software, of a byte: both say of them that they are there after the latency. Of larger ones
// LogGOPS lets the processor take the bytes, so that the engines agree only where nothing hangs on that.
TEST(ToldByWindows, TheArchiveIsThatOfTheEventsEngineWhereBothEndAtTheSameTimes) {
  constexpr double same_s = 12.001e-6;  // a byte a round, and rounding
  int agreed = 0;
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    const std::size_t ranks = 2 + seed % 6;
    const Trace recorded = random_run(seed, ranks, seed % 4 == 3 ? 300 : 1);
    const MachineModel machine = LinearMachine{}.model();
    const Archive windows = predicted_by(Evaluator::windows, recorded, machine);
    for (const unsigned threads : {2u, 3u, 7u}) {
      const Archive shared = predicted_by(Evaluator::windows, recorded, machine, threads);
      for (std::size_t r = 0; r < ranks; ++r) {
        const RankTrace &one = windows.trace.ranks[r], &other = shared.trace.ranks[r];
        EXPECT_EQ(difference_s(one.enter_ns, other.enter_ns), 0);
        EXPECT_EQ(difference_s(one.leave_ns, other.leave_ns), 0);
        EXPECT_EQ(blocked_s(one), blocked_s(other));
      }
    }
    // LogGOPS itself counts all that is neither computation nor software. The archive tells what the processor
    // takes for another message as waiting, and what a hand-over waits for the card as part of the call: that is
    // at most every byte that the rank sends or receives once, those of its collectives included.
    for (std::size_t r = 0; r < ranks; ++r) {
      double bytes = 2 * 12 * 3;  // up to 12 reductions of three rounds
      for (const Message& message : windows.trace.messages)
        for (const auto end : {message.source, message.destination})
          if (end == static_cast<std::int32_t>(r)) bytes += static_cast<double>(message.bytes);
      EXPECT_NEAR(blocked_s(windows.trace.ranks[r]), windows.prediction.simulated.ranks[r].blocked_s,
                  bytes * LinearMachine{}.per_byte_s)
          << seed;
    }
    const Archive events = predicted_by(Evaluator::events, recorded, machine);
    bool agree = true;
    for (std::size_t r = 0; r < ranks; ++r)
      agree &= std::fabs(static_cast<double>(events.trace.ranks[r].end_ns - windows.trace.ranks[r].end_ns)) <=
               same_s * 1e9;
    if (!agree) continue;
    ++agreed;
    for (std::size_t r = 0; r < ranks; ++r) {
      const RankTrace &told = windows.trace.ranks[r], &expected = events.trace.ranks[r];
      EXPECT_LE(difference_s(told.enter_ns, expected.enter_ns), same_s) << seed;
      EXPECT_LE(difference_s(told.leave_ns, expected.leave_ns), same_s) << seed;
      EXPECT_NEAR(blocked_s(told), blocked_s(expected), 2 * same_s) << seed;
      ASSERT_EQ(told.ways.size(), expected.ways.size());
      for (std::size_t i = 0; i < told.ways.size(); ++i)
        EXPECT_NEAR(static_cast<double>(told.ways[i].arrived_ns),
                    static_cast<double>(expected.ways[i].arrived_ns), same_s * 1e9);
    }
  }
  EXPECT_GE(agreed, 12) << "else it compares nothing";
}

// After the last call a rank computes as recorded, so that its end follows from what was told of that call: it must be the
// finish that the evaluator found. Messages of up to 300 bytes, and ones that are asked for first.
TEST(ToldByFree, EndsWhenTheEvaluatorSays) {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    const std::size_t ranks = 2 + seed % 6;
    const Trace recorded = random_run(seed, ranks, seed % 2 == 0 ? 300 : 200'000);
    const Archive told = predicted_by(Evaluator::free, recorded, *find_preset("loggops-default"));
    const std::int64_t begin_ns = told.trace.begin_ns();
    double waited_s = 0, last_s = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const RankTrace &before = recorded.ranks[r], &after = told.trace.ranks[r];
      const std::size_t last = before.calls() - 2;  // the last but MPI_Finalize
      const double end_s =
          static_cast<double>(after.leave_ns[last] - begin_ns + before.end_ns - before.leave_ns[last]) * 1e-9;
      const SimulatedRank& evaluated = told.prediction.simulated.ranks[r];
      EXPECT_NEAR(end_s, evaluated.begin_s + evaluated.elapsed_s, 2e-9) << seed;
      last_s = std::max(last_s, end_s);
      for (std::size_t call = 0; call < after.calls(); ++call) {
        EXPECT_LE(after.enter_ns[call], after.leave_ns[call]);
        EXPECT_LE(call == 0 ? 0 : after.leave_ns[call - 1], after.enter_ns[call]);
      }
      waited_s += blocked_s(after);
    }
    EXPECT_NEAR(last_s, told.prediction.predicted_s, 2e-9) << seed;
    EXPECT_GT(waited_s, 0);
    const auto again = predict_all(Replayable{*compile(told.trace), &told.trace, &*told.conditions},
                                   told.conditions->model, {WhatIf{}}, {.evaluator = Evaluator::free});
    ASSERT_TRUE(again);
    // archives count in nanoseconds: up to one for each call on a chain of all ranks
    EXPECT_NEAR(again->front().predicted_s, told.prediction.predicted_s, 48e-9 * static_cast<double>(ranks))
        << seed;
  }
}

}  // namespace
}  // namespace ww::simulate

// A predicted run written, loaded and replayed again. Times are closed forms of the linear machine (100 us and 1 us a byte;
// 10 us of them in the send, 15 us after arrival); that a loaded prediction is replayed in the predicted time is what it is
// for, and archives count in nanoseconds, which is what may be lost.
#include "simulate/predicted_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/program.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"
#include "trace/unify.hpp"

namespace ww::simulate {
namespace {

MachineModel machine() {
  LinearMachine linear;
  linear.send_s = 10e-6;
  linear.unformat_s = 15e-6;
  linear.eager_threshold_bytes = 5000;
  return linear.model();
}

struct Written {
  Prediction prediction;
  Trace loaded;
  Conditions conditions;
};

Written predict_into(const std::filesystem::path& dir, const Trace& recorded, const std::string& what_if) {
  const auto program = compile(recorded);
  EXPECT_TRUE(program);
  const auto parsed = what_if.empty() ? WhatIf{} : parse_what_if(what_if);
  EXPECT_TRUE(parsed);
  RunNotes notes(recorded.ranks.size(), recorded.messages.size());
  const auto predicted = predict_all(Replayable{*program, &recorded}, machine(), {*parsed},
                                     {.interval = false, .observer = &notes});
  EXPECT_TRUE(predicted) << (predicted ? "" : to_string(predicted.error()));
  const auto written = write_predicted(recorded, notes, predicted->front(), dir);
  EXPECT_TRUE(written) << (written ? "" : to_string(written.error()));
  auto loaded = load_trace(dir);
  EXPECT_TRUE(loaded) << (loaded ? "" : to_string(loaded.error()));
  auto conditions = conditions_of(dir);
  EXPECT_TRUE(conditions && conditions->has_value());
  return {predicted->front(), *loaded, **conditions};
}

// As MPI_Init and MPI_Finalize bound it.
void bound(ww::TraceBuilder& builder, std::size_t ranks, std::int64_t begin_ns) {
  for (std::size_t r = 0; r < ranks; ++r) {
    builder.trace().ranks[r].host = "host" + std::to_string(r);
    builder.trace().ranks[r].begin_ns = begin_ns;
    builder.call(r, "MPI_Init", 0, begin_ns);
  }
}
void finalize(ww::TraceBuilder& builder, std::size_t rank, std::int64_t at_ns) {
  builder.trace().ranks[rank].end_ns = at_ns;
  builder.call(rank, "MPI_Finalize", at_ns, at_ns + 50);
}

TEST(PredictedRun, HasTheTimesOfTheReplayAndWhatItWaitedFor) {
  ww::TraceBuilder builder(2, 0);
  bound(builder, 2, 100);
  builder.call(0, "MPI_Send", 1'000'000, 1'010'500, {message_action(ActionKind::send, 1, 7, 1000)});
  finalize(builder, 0, 2'010'000);
  builder.call(1, "MPI_Recv", 10'000, 1'500'000, {message_action(ActionKind::recv, 0, 7, 1000)});
  finalize(builder, 1, 1'700'000);
  Trace& trace = builder.trace();
  trace.user.regions = {"solve"};
  trace.ranks[1].user.regions.push_back({5'000, 1'600'000, 0, 0});
  trace.run = run_from_json({{"program", "./a"}, {"mpi", "mpich"}, {"dilation", 1}, {"wall_s", 7}});
  const spool::TestDir dir;
  const Written out = predict_into(dir.path(), builder.matched(), "");
  const Trace& loaded = out.loaded;
  EXPECT_TRUE(loaded.predicted);
  EXPECT_TRUE(loaded.diagnostics.has("predicted"));
  EXPECT_EQ(loaded.run.mpi, "mpich");
  nlohmann::json said = read_run(dir.path());
  for (const char* of_the_prediction : {"predicted", "diagnostics", "ranks"}) said.erase(of_the_prediction);
  // what it took is of the recorded run alone
  EXPECT_EQ(said.dump(), R"({"dilation":1,"mpi":"mpich","program":"./a"})");
  EXPECT_EQ(loaded.ranks[1].host, "host1");
  // sent at 1 ms: F, then 1000 bytes of a microsecond, the latency's rest, and U in the receive
  EXPECT_EQ(loaded.ranks[0].leave_ns[1], 1'010'000);
  EXPECT_EQ(loaded.ranks[0].end_ns, 1'010'000 + 999'500);
  EXPECT_EQ(loaded.ranks[1].enter_ns[1], 10'000);
  EXPECT_EQ(loaded.ranks[1].leave_ns[1], 2'100'000);
  EXPECT_EQ(loaded.ranks[1].end_ns, 2'300'000);
  EXPECT_EQ(loaded.ranks[1].leave_ns[2], 2'300'050);
  EXPECT_NEAR(loaded.elapsed_s(), out.prediction.predicted_s, 1e-9);
  ASSERT_EQ(loaded.ranks[1].waits.size(), 1u);
  const KnownWait& wait = loaded.ranks[1].waits[0];
  EXPECT_EQ(wait.call, 1u);
  EXPECT_EQ(wait.from_ns, 10'000);
  EXPECT_EQ(wait.begun_ns, 1'000'000);
  EXPECT_EQ(wait.to_ns, 2'085'000);
  EXPECT_EQ(wait.by, 0);
  ASSERT_EQ(loaded.ranks[0].ways.size(), 1u);
  EXPECT_EQ(loaded.ranks[0].ways[0].left_ns, 2'010'000);
  EXPECT_EQ(loaded.ranks[0].ways[0].arrived_ns, 2'085'000);
  // it ended in the middle of what was computed after the receive
  ASSERT_EQ(loaded.ranks[1].user.regions.size(), 1u);
  EXPECT_EQ(loaded.ranks[1].user.regions[0].enter_ns, 5'000);
  EXPECT_EQ(loaded.ranks[1].user.regions[0].leave_ns, 2'200'000);
}

// Computation of random length, a ring of random sizes (eager and large), an allreduce.
Trace busy_run(std::size_t ranks, int rounds) {
  std::mt19937 random(5);
  ww::TraceBuilder builder(ranks, 0);
  bound(builder, ranks, 100);
  std::vector<std::int64_t> now(ranks, 100);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t bytes = random() % 10'000;
    for (std::size_t r = 0; r < ranks; ++r) {
      now[r] += 1'000 + static_cast<std::int64_t>(random() % 2'000'000);
      const auto next = static_cast<std::int32_t>((r + 1) % ranks),
                 before = static_cast<std::int32_t>((r + ranks - 1) % ranks);
      builder.call(r, "MPI_Sendrecv", now[r], now[r] + 3'000,
                   {message_action(ActionKind::recv, before, round, bytes),
                    message_action(ActionKind::send, next, round, bytes)});
      now[r] += 3'777;
      builder.call(r, "MPI_Allreduce", now[r], now[r] + 2'000, {collective_action(64, 64)});
      now[r] += 2'000;
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) finalize(builder, r, now[r] + 12'345);
  return builder.matched();
}

TEST(PredictedRun, IsReplayedAgainInTheSameTimeOnEveryNetwork) {
  const Trace recorded = busy_run(4, 60);
  for (const char* what_if :
       {"", "bandwidth=x10,latency=x0.5,software=x0.3,compute=x2", "network=ideal", "network=switch",
        "network=torus:dims=2x2", "network=hypercube:dims=2:forward=store", "network=fat-tree:k=4",
        "network=dragonfly:groups=3:routers=2:hosts=1", "compute@rank:1=x3", "ranks-per-host=1"}) {
    const spool::TestDir dir;
    const Written out = predict_into(dir.path(), recorded, what_if);
    double blocked_s = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      const SimulatedRank& rank = out.prediction.simulated.ranks[r];
      double waited_s = 0;
      for (const KnownWait& wait : out.loaded.ranks[r].waits)
        waited_s += static_cast<double>(wait.to_ns - wait.from_ns) * 1e-9;
      EXPECT_NEAR(waited_s, rank.blocked_s, 1e-9 * static_cast<double>(out.loaded.ranks[r].waits.size() + 1));
      EXPECT_NEAR(static_cast<double>(out.loaded.ranks[r].end_ns - out.loaded.ranks[r].begin_ns) * 1e-9,
                  rank.elapsed_s, 2e-9)
          << what_if;
      blocked_s += waited_s;
    }
    EXPECT_GT(blocked_s, 0);
    const auto program = compile(out.loaded);
    ASSERT_TRUE(program);
    const auto again = predict_all(Replayable{*program, &out.loaded, &out.conditions}, out.conditions.model,
                                   {WhatIf{}}, {.interval = false});
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_NEAR(again->front().predicted_s / out.prediction.predicted_s, 1, 1e-4) << what_if;
    EXPECT_DOUBLE_EQ(again->front().replayed_s, again->front().predicted_s);
    EXPECT_FALSE(again->front().diagnostics.has("predicted-for-another"));
    const auto elsewhere = predict_all(Replayable{*program, &out.loaded, &out.conditions},
                                       LinearMachine{}.model(), {WhatIf{}}, {.interval = false});
    ASSERT_TRUE(elsewhere);
    EXPECT_TRUE(elsewhere->front().diagnostics.has("predicted-for-another"));
  }
}

TEST(PredictedRun, OfARecordingThereAreNoConditionsAndOfADamagedOneAnError) {
  const spool::TestDir dir;
  EXPECT_TRUE(conditions_of(dir.path()));
  EXPECT_FALSE(conditions_of(dir.path())->has_value());
  ASSERT_TRUE(write_file(dir.path() / "run.json",
                         R"({"predicted": {"machine": "machine.json", "software_s": "much"}})"));
  const auto damaged = conditions_of(dir.path());
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().where.find("software_s"), std::string::npos) << to_string(damaged.error());
}

// Each bound of an interval is some twenty replays; one alone says that it has none.
TEST(PredictedRun, OnePredictionAloneHasNoInterval) {
  const Trace recorded = busy_run(3, 5);
  const auto program = compile(recorded);
  ASSERT_TRUE(program);
  for (const Evaluator evaluator : {Evaluator::events, Evaluator::windows, Evaluator::free}) {
    const auto whole = predict_all(Replayable{*program}, machine(), {WhatIf{}}, {.evaluator = evaluator});
    const auto alone =
        predict_all(Replayable{*program}, machine(), {WhatIf{}}, {.evaluator = evaluator, .interval = false});
    ASSERT_TRUE(whole && alone);
    EXPECT_EQ(alone->front().predicted_s, whole->front().predicted_s);
    EXPECT_TRUE(whole->front().has_interval);
    EXPECT_FALSE(alone->front().has_interval);
    EXPECT_TRUE(std::ranges::any_of(alone->front().assumptions, [](const std::string& assumption) {
      return assumption.find("no interval") != std::string::npos;
    }));
    const nlohmann::json json = nlohmann::json::parse(to_json(alone->front()).dump());
    EXPECT_TRUE(json["predicted_low_s"].is_null());
    EXPECT_TRUE(json["sensitivity"]["latency_s_per_s"].is_null());
  }
}

TEST(PredictedRun, IsCancelledWithinAReplayAndBeforeTheNext) {
  const Trace recorded = busy_run(4, 500);  // some ten thousand events: more than between two looks
  Cancellation cancellation;
  SimulateOptions options;
  options.cancellation = &cancellation;
  ASSERT_TRUE(replay(recorded, machine(), options));
  cancellation.cancel();
  const auto replayed = replay(recorded, machine(), options);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().what, cancelled().value().what);
  const auto program = compile(recorded);
  ASSERT_TRUE(program);
  for (const Evaluator evaluator : {Evaluator::events, Evaluator::windows, Evaluator::free}) {
    const auto predicted = predict_all(Replayable{*program}, machine(), {WhatIf{}},
                                       {.evaluator = evaluator, .cancellation = &cancellation});
    ASSERT_FALSE(predicted);
    EXPECT_EQ(predicted.error().what, cancelled().value().what);
  }
}

}  // namespace
}  // namespace ww::simulate

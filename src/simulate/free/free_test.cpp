// Closed forms on the linear machine of the fixture, and agreement with the events engine where nothing
// meets.
#include "simulate/free/free.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "simulate/events/engine.hpp"
#include "simulate/free/explain.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"
#include "simulate/variants.hpp"

namespace ww::simulate {
namespace {

struct Compared {
  Program program;
  ReplayCosts costs;
  FreeRun free;
  double events_s = 0;
};

Compared compare(TraceBuilder& builder, const MachineModel& model, FreeOptions options = {}) {
  auto program = compile(builder.trace());
  EXPECT_TRUE(program);
  auto costs = ReplayCosts::make(*program, model, 0);
  EXPECT_TRUE(costs) << to_string(costs.error());
  options.blame = true;
  const auto free = replay_free(*program, *costs, options);
  EXPECT_TRUE(free) << to_string(free.error());
  const auto events = play(*program, *costs, {});
  EXPECT_TRUE(events) << to_string(events.error());
  return {*program, *costs, *free, events->elapsed_s};
}

double blamed_s(const FreeRun& run) {
  Picoseconds sum = run.blame.under_way;
  for (const Picoseconds time : run.blame.by_rank) sum += time;
  return static_cast<double>(sum) / picoseconds_per_s;
}

TraceBuilder ping_pong(int rounds, std::uint64_t bytes) {
  auto builder = TraceBuilder::spread(2);
  for (int round = 0; round < rounds; ++round) {
    builder.compute(0, 1e-3);
    builder.send(0, 1, bytes);
    builder.recv(1, 0, bytes);
    builder.compute(1, 2e-3);
    builder.send(1, 0, bytes);
    builder.recv(0, 1, bytes);
  }
  return builder;
}

TEST(Free, PingPongIsTheModelAndItsSlopesAreCounted) {
  LinearMachine machine;
  machine.send_s = 10e-6;
  machine.unformat_s = 15e-6;
  auto builder = ping_pong(20, 400);
  const Compared compared = compare(builder, machine.model());
  const double expected_s = 20 * (3e-3 + 2 * machine.one_way_s(400));
  EXPECT_NEAR(static_cast<double>(compared.free.finish) * 1e-12, expected_s, 1e-9);
  EXPECT_NEAR(compared.events_s, expected_s, 1e-9);
  EXPECT_EQ(compared.free.slopes.latency, 40);
  EXPECT_EQ(compared.free.slopes.per_byte, 40 * 400);
  EXPECT_EQ(compared.free.slopes.overhead, 40);
  EXPECT_NEAR(blamed_s(compared.free), expected_s, 1e-9);
  EXPECT_NEAR(static_cast<double>(compared.free.blame.compute) / picoseconds_per_s, 20 * 3e-3, 1e-9);
  ASSERT_EQ(compared.free.blame.messages.size(), 40u);
  EXPECT_NEAR(static_cast<double>(compared.free.blame.messages[0].time) / picoseconds_per_s,
              machine.one_way_s(400), 1e-9);
}

// A large message crosses three times: request, reply, data.
// Found by the viewer's mutated requests: a machine so slow that no sum of its times can be counted is an error, not an overflow.
TEST(Free, ARunThatCannotBeCountedIsAnError) {
  auto builder = ping_pong(3, 8);
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  const auto costs = ReplayCosts::make(*program, LinearMachine().model(), 0);
  ASSERT_TRUE(costs) << to_string(costs.error());
  for (const double factor : {1e-10, 1e-16, 1e-300}) {
    FreeOptions options;
    options.compute_factor = factor;
    const auto run = replay_free(*program, *costs, options);
    ASSERT_FALSE(run) << factor;
    EXPECT_EQ(run.error().what, "a run that is longer than can be counted");
  }
}

TEST(Free, LargeMessagesCrossThreeTimes) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 1000;
  machine.latency_s = 300e-6;
  auto builder = ping_pong(5, 5000);
  const Compared compared = compare(builder, machine.model());
  EXPECT_NEAR(static_cast<double>(compared.free.finish) * 1e-12, compared.events_s, 1e-9);
  EXPECT_EQ(compared.free.slopes.latency, 30);
  EXPECT_NEAR(blamed_s(compared.free), compared.events_s, 1e-9);
}

// Random programs of two ranks that exchange, wait for several and meet in collectives: without anything in
// the way of anything, the events engine takes as long or longer.
TEST(Free, IsNeverSlowerThanWithContention) {
  LinearMachine machine;
  machine.send_s = 5e-6;
  machine.unformat_s = 7e-6;
  machine.eager_threshold_bytes = 2000;
  std::uint64_t state = 12345;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % below;
  };
  for (int program = 0; program < 30; ++program) {
    auto builder = TraceBuilder::spread(4);
    for (int round = 0; round < 10; ++round) {
      std::vector<std::vector<std::uint32_t>> sends(4), receives(4);
      for (int rank = 0; rank < 4; ++rank) builder.compute(rank, 1e-6 * static_cast<double>(random(500)));
      for (int rank = 0; rank < 4; ++rank) {
        const int to = (rank + 1 + static_cast<int>(random(3))) % 4;
        const std::uint64_t bytes = random(4000);
        receives[static_cast<std::size_t>(to)].push_back(builder.irecv(to, rank, bytes));
        sends[static_cast<std::size_t>(rank)].push_back(builder.isend(rank, to, bytes));
      }
      for (int rank = 0; rank < 4; ++rank)
        builder.wait(rank, sends[static_cast<std::size_t>(rank)], receives[static_cast<std::size_t>(rank)]);
    }
    MachineModel model = machine.model();
    if (program % 2 == 1) model.links[0].sent_ahead_bytes = 2500;  // of large messages less than all, and all
    const Compared compared = compare(builder, model);
    EXPECT_LE(static_cast<double>(compared.free.finish) * 1e-12, compared.events_s * (1 + 1e-9)) << program;
    EXPECT_NEAR(blamed_s(compared.free), static_cast<double>(compared.free.finish) * 1e-12, 1e-9) << program;
    // The slopes are those of the finish itself.
    const auto by_latency = by(Parameter::latency, growing(compared.program, compared.costs, {}), {});
    const auto curve = schedule::all_pieces(by_latency, 0, 1'000'000'000);
    ASSERT_TRUE(curve);
    for (schedule::Ticks x = 0; x <= 1'000'000'000; x += 25'000'000) {
      schedule::Ticks told = 0;
      for (const schedule::Piece& piece : curve->pieces)
        if (piece.from <= x) told = piece.finish + piece.slope * (x - piece.from);
      EXPECT_EQ(told, by_latency(x)->finish) << program << " at " << x;
    }
    // ... and those of latency and bytes together, also beside where planes meet.
    const auto finish = [&](schedule::Place2 place) {
      return growing(compared.program, compared.costs, {})({place.x, place.y, 0}, false)->finish;
    };
    constexpr schedule::Ticks most_x = 1'000'000'000, most_y = 1'000'000;
    const auto map =
        schedule::joint_map(growing(compared.program, compared.costs, {}), 0, {{0, 0}, {most_x, most_y}});
    ASSERT_TRUE(map) << to_string(map.error());
    EXPECT_FALSE(map->cut);
    for (int i = 0; i < 40; ++i) {
      const schedule::Place2 place{static_cast<schedule::Ticks>(random(most_x)),
                                   static_cast<schedule::Ticks>(random(most_y))};
      EXPECT_EQ(map->at(place), finish(place)) << program << " at " << place.x << " " << place.y;
    }
    for (const auto& region : map->regions)
      for (const auto& [x, y] : region.corners) {
        const schedule::Place2 place{static_cast<schedule::Ticks>(x), static_cast<schedule::Ticks>(y)};
        EXPECT_EQ(map->at(place), finish(place)) << program << " at " << place.x << " " << place.y;
      }
  }
}

TEST(Free, MoreLatencyIsAModelWithMoreLatency) {
  LinearMachine machine;
  machine.send_s = 10e-6;
  auto builder = ping_pong(3, 400);
  const Compared compared = compare(builder, machine.model());
  const auto slower = replay(builder.trace(), with_more_latency(machine.model(), Place::inter, 50e-6), {});
  const auto told = by(Parameter::latency, growing(compared.program, compared.costs, {}), {})(50'000'000);
  ASSERT_TRUE(slower && told);
  EXPECT_NEAR(static_cast<double>(told->finish) * 1e-12, slower->elapsed_s, 1e-9);
}

TEST(Free, PredictionsExplainThemselvesWhenAsked) {
  LinearMachine machine;
  auto builder = ping_pong(20, 400);
  const auto plain = predict_all(builder.trace(), machine.model(), {WhatIf{}});
  const auto explained = predict_all(builder.trace(), machine.model(), {WhatIf{}}, {.explain = true});
  ASSERT_TRUE(plain && explained);
  EXPECT_FALSE(to_json(plain->front()).contains("contention_free"));
  const nlohmann::json told = to_json(explained->front())["contention_free"];
  EXPECT_NEAR(told["predicted_s"], explained->front().predicted_s, 0.01 * explained->front().predicted_s);
  const nlohmann::json& latency = told["curves"]["latency"];
  ASSERT_EQ(latency["pieces"].size(), 1u);
  EXPECT_EQ(latency["pieces"][0]["s_per_s"], 40);
  const nlohmann::json& map = told["map"];
  ASSERT_EQ(map["planes"].size(), 1u);
  EXPECT_EQ(map["planes"][0]["latency_s_per_s"], 40);
  EXPECT_EQ(map["planes"][0]["seconds_per_byte_s_per_s"], 40 * 400);
  // computation and software, which neither of the two is in
  const double rest_s = map["planes"][0]["rest_s"];
  const double now_s = told["predicted_s"];
  EXPECT_NEAR(rest_s, now_s - 40 * machine.latency_s - 40 * 400 * machine.per_byte_s, 1e-9);
  // 1% of the run over 40 messages
  const double finish_s = told["predicted_s"];
  EXPECT_NEAR(latency["tolerance"][0]["up_to_s"], machine.latency_s + 0.01 * finish_s / 40, 1e-9);
}

// With 10 us of software in a message's 60 us, of 400 bytes at 0.1 us each: where the latency is nothing the run is that on a
// machine without any, and so for the time a byte; nothing of a message falls below nothing.
TEST(Free, CurvesForAPictureBeginWhereAParameterIsNothing) {
  LinearMachine machine;
  machine.send_s = 10e-6;
  auto builder = ping_pong(20, 400);
  const MachineModel model = machine.model();
  const CurvesFromNothing now = parameters_of(model, Place::inter);
  const CurvesFromNothing far{30 * now.latency_s, 0, 0};
  const auto explained =
      predict_all(builder.trace(), model, {WhatIf{}}, {.explain = true, .curves = &far, .interval = false});
  ASSERT_TRUE(explained);
  const nlohmann::json told = to_json(explained->front())["contention_free"];
  EXPECT_FALSE(told.contains("map"));
  const nlohmann::json& latency = told["curves"]["latency"];
  EXPECT_NEAR(latency["pieces"][0]["from_s"], 0, 1e-12);
  EXPECT_NEAR(latency["to_s"], far.latency_s, 1e-11);
  EXPECT_NEAR(told["curves"]["seconds_per_byte"]["to_s"], 10 * now.seconds_per_byte, 1e-11);
  LinearMachine none = machine;
  none.latency_s = machine.send_s;  // which it has in it
  const auto without = replay(builder.trace(), none.model(), {});
  ASSERT_TRUE(without);
  EXPECT_NEAR(latency["pieces"][0]["predicted_s"], without->elapsed_s, 1e-9);
  none = machine;
  none.per_byte_s = 0;
  const auto at_once = replay(builder.trace(), none.model(), {});
  ASSERT_TRUE(at_once);
  EXPECT_NEAR(told["curves"]["seconds_per_byte"]["pieces"][0]["predicted_s"], at_once->elapsed_s, 1e-9);
}

// Rank 0 sends 1000 bytes after a second, rank 1 waits for them from the beginning: F = 10 us in the send, a port that takes
// 1 us a byte, the latency's rest, U = 15 us in the receive. Nothing meets, so the events engine tells the same.
TEST(Free, TellsAnObserverWhatTheEventsEngineTells) {
  struct Told : Observer {
    void call_ends(std::int32_t rank, double at_s) override { ends[rank] = at_s; }
    void message(MessageEvent what, std::uint32_t, double at_s) override {
      at[static_cast<int>(what)] = at_s;
    }
    void blocked(const Blocked& wait) override { waits.push_back(wait); }
    std::map<std::int32_t, double> ends;
    std::map<int, double> at;
    std::vector<Blocked> waits;
  };
  LinearMachine machine;
  machine.send_s = 10e-6;
  machine.unformat_s = 15e-6;
  for (const bool large : {false, true}) {
    if (large) machine.eager_threshold_bytes = 500;
    auto builder = TraceBuilder::spread(2);
    builder.compute(0, 1);
    builder.send(0, 1, 1000);
    builder.recv(1, 0, 1000);
    const auto program = compile(builder.trace());
    const auto costs = ReplayCosts::make(*program, machine.model(), 0);
    ASSERT_TRUE(program && costs);
    Told free, events;
    FreeOptions without;
    without.observer = &free;
    SimulateOptions with;
    with.observer = &events;
    ASSERT_TRUE(replay_free(*program, *costs, without) && play(*program, *costs, with));
    const double there_s = 1 + machine.one_way_s(1000);
    if (!large) {
      EXPECT_NEAR(free.at[static_cast<int>(MessageEvent::left)], 1 + 10e-6 + 1000e-6, 1e-9);
    }
    EXPECT_NEAR(free.at[static_cast<int>(MessageEvent::received)], there_s, 1e-9);
    EXPECT_NEAR(free.ends[1], there_s, 1e-9);
    for (int what = 0; what < 4; ++what) EXPECT_NEAR(free.at[what], events.at[what], 1e-9) << what;
    for (int rank = 0; rank < 2; ++rank) EXPECT_NEAR(free.ends[rank], events.ends[rank], 1e-9);
    ASSERT_EQ(free.waits.size(), events.waits.size());
    for (std::size_t i = 0; i < free.waits.size(); ++i)
      for (const Blocked& wait : events.waits) {
        if (wait.rank != free.waits[i].rank) continue;
        EXPECT_EQ(free.waits[i].by, wait.by);
        EXPECT_EQ(free.waits[i].message, wait.message);
        EXPECT_NEAR(free.waits[i].from_s, wait.from_s, 1e-9);
        EXPECT_NEAR(free.waits[i].begun_s, wait.begun_s, 1e-9);
        EXPECT_NEAR(free.waits[i].to_s, wait.to_s, 1e-9);
      }
  }
}

}  // namespace
}  // namespace ww::simulate

// Doubts beyond the model's intervals, and that intervals hold them; expected values by hand.
#include "simulate/doubts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simulate/machine_fixture.hpp"

namespace ww::simulate {
namespace {

Trace ping_pong(std::uint64_t bytes, double compute_s) {
  auto builder = TraceBuilder::spread(2);
  for (int round = 0; round < 10; ++round)
    for (int sender = 0; sender < 2; ++sender) {
      builder.compute(sender, compute_s);
      builder.send(sender, 1 - sender, bytes);
      builder.recv(1 - sender, sender, bytes);
    }
  return builder.trace();
}

Again entry(const char* experiment, double bytes, double relative) {
  return {experiment, Place::inter, bytes, relative};
}

// Twice the root mean square of 3% and 4%, of those sizes that count.
TEST(Doubts, TrafficIsDoubtedByTheClosedLoopAtItsSizes) {
  const Trace trace = ping_pong(1000, 0);
  const auto program = compile(trace);
  ASSERT_TRUE(program);
  LinearMachine machine;
  machine.eager_threshold_bytes = 1500;
  MachineModel model = machine.model();
  EXPECT_EQ(doubt_of_traffic(*program, model, model), 0) << "no closed loop";
  model.closed_loop = {entry("two-way", 600, 0.03), entry("train", 1400, -0.04),
                       entry("ping-pong", 1000, 0.5),  // no messages meet
                       entry("two-way", 400, 0.5),     // too small
                       entry("two-way", 1600, 0.5)};   // after a handshake
  EXPECT_NEAR(doubt_of_traffic(*program, model, model), 2 * std::sqrt((0.03 * 0.03 + 0.04 * 0.04) / 2),
              1e-12);
  // four times as long: of that 4^-0.8
  MachineModel quick = model;
  quick.links[0].one_way.segments[0].base_s /= 4;
  quick.links[0].one_way.segments[0].seconds_per_byte /= 4;
  EXPECT_NEAR(doubt_of_traffic(*program, model, quick),
              std::pow(4, -0.8) * doubt_of_traffic(*program, model, model), 1e-12);
  EXPECT_EQ(doubt_of_traffic(*program, quick, model), doubt_of_traffic(*program, model, model));
}

// Two sizes that take as long in all: what is missed is a quarter alike, 3% and 4%.
TEST(Doubts, OfUnlikeSizesLittleIsMissedAlike) {
  LinearMachine machine;
  MachineModel model = machine.model();
  const double small_s = model.links[0].one_way.at(1000), large_s = model.links[0].one_way.at(64000);
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  builder.send(0, 1, 64000);
  builder.recv(1, 0, 64000);
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  model.closed_loop = {entry("two-way", 1000, 0.03), entry("two-way", 64000, 0.04)};
  const double of_small = 0.03 * small_s / (small_s + large_s),
               of_large = 0.04 * large_s / (small_s + large_s);
  EXPECT_NEAR(doubt_of_traffic(*program, model, model),
              2 * std::sqrt(of_small * of_small + of_large * of_large + 0.24 * 2 * of_small * of_large),
              1e-12);
}

// A rank that lacked its core for a fifth of a second may lack nothing, or be kept as much again; for no longer where the run is, as it then waits for
// the wire, and for a fifth of a shorter one.
TEST(Doubts, CoresWereTakenForNoLongerThanRecorded) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  program->recorded.kept_share = 0.2;
  const MachineModel model = LinearMachine().model();
  const auto taken_of = [&](double predicted_s) {
    Prediction prediction;
    prediction.recorded_s = 1;
    prediction.predicted_s = predicted_s;
    prediction.simulated.ranks.resize(2);
    const DoubtSum sum = doubts_beside_replays(*program, {}, model, prediction);
    for (const SourceOfDoubt& doubt : sum.by_width())
      if (doubt.source == "cores that were taken from the ranks") return doubt;
    return SourceOfDoubt{};
  };
  for (const auto& [predicted_s, at_work_s] : {std::pair{10.0, 1.0}, {0.1, 0.1}}) {
    EXPECT_NEAR(taken_of(predicted_s).below_s, 0.2 * at_work_s, 1e-12);
    EXPECT_NEAR(taken_of(predicted_s).above_s, 0.25 * at_work_s, 1e-12);
  }
  // All ranks together lost half of the time, and may where they wait for one another only: then it takes twice as long.
  program->recorded.lost_together = 0.5;
  EXPECT_NEAR(taken_of(0.1).below_s, 0.02, 1e-12);
  EXPECT_NEAR(taken_of(0.1).above_s, 0.1, 1e-12);
}

// Within a host: collectives simulated in a third of the time that they took lack twice what they have, which is
// doubled; messages of a program's own go by the other experiments, here 25% too long, so that a fifth is too much.
TEST(Doubts, CollectivesWithinAHostAreDoubtedByThemselves) {
  MachineModel model = LinearMachine().model();
  model.links[0].between = Place::intra;
  model.links[0].wire.reset();
  model.closed_loop = {{"bcast", Place::intra, 4000, 1.0 / 3 - 1},
                       {"bcast", Place::intra, 16000, 1},  // too large
                       {"bcast", Place::inter, 1000, 1},
                       {"two-way", Place::intra, 1000, 0.25}};
  TraceBuilder collective({"a", "a", "a"}), message({"a", "a"});
  collective.collective(CollectiveOp::bcast, 0, {1000, 0, 0}, {1000, 1000, 1000});
  message.send(0, 1, 1000);
  message.recv(1, 0, 1000);
  const auto of_collective = compile(collective.trace()), of_message = compile(message.trace());
  ASSERT_TRUE(of_collective && of_message);
  Simulated simulated;
  simulated.ranks.push_back({.library_s = 1, .blocked_s = 2});
  EXPECT_NEAR(doubt_within_host(*of_collective, model, simulated).above_s, 2 * 2 * 3, 1e-9);
  EXPECT_EQ(doubt_within_host(*of_collective, model, simulated).below_s, 0);
  EXPECT_EQ(doubt_within_host(*of_message, model, simulated).above_s, 0);
  EXPECT_NEAR(doubt_within_host(*of_message, model, simulated).below_s, 2 * 0.2 * 3, 1e-9);
  // Of three ranks two are blocked for 1.1 ms: T(1000).
  TraceBuilder as_long({"a", "a", "a"});
  as_long.call_ns = 1'100'000;
  as_long.collective(CollectiveOp::bcast, 0, {1000, 0, 0}, {1000, 1000, 1000});
  const auto prediction = predict(as_long.trace(), model, {});
  ASSERT_TRUE(prediction);
  const double unrest_s = 2 * 0.004 * prediction->predicted_s;  // runs differ by 0.4%
  EXPECT_NEAR(prediction->predicted_high_s,
              prediction->predicted_s + std::hypot(4 * 2 * 1.1e-3 / 3, unrest_s), 1e-7);
  EXPECT_NEAR(prediction->predicted_low_s, prediction->predicted_s - unrest_s, 1e-7);
}

// 0.4% of a second, twice; 2.1% where a lab's four hosts share two cores, and not where each has one.
TEST(Doubts, RunsDifferByMoreWhereHostsShareCores) {
  const auto differ_s = [](int shared_cores) {
    auto builder = TraceBuilder::spread(4);
    builder.send(0, 1, 1000);
    builder.recv(1, 0, 1000);
    auto program = compile(builder.trace());
    EXPECT_TRUE(program);
    program->recorded.shared_cores = shared_cores;
    const MachineModel model = LinearMachine().model();
    Prediction prediction;
    prediction.predicted_s = 1;
    prediction.simulated.ranks.resize(4);
    const DoubtSum sum = doubts_beside_replays(*program, {}, model, prediction);
    for (const SourceOfDoubt& doubt : sum.by_width())
      if (doubt.source == "what runs differ by") return doubt.below_s;
    return 0.0;
  };
  EXPECT_NEAR(differ_s(0), 2 * 0.004, 1e-12);
  EXPECT_NEAR(differ_s(4), 2 * 0.004, 1e-12);
  EXPECT_NEAR(differ_s(2), 2 * 0.021, 1e-12);
}

// On the recording machine computation is as recorded; behind a wire without latency and serialisation nobody
// waits for anything but the other's computation.
TEST(Doubts, ComputationIsDoubtedWhereWaitingChanges) {
  Simulated recorded, predicted;
  recorded.ranks.push_back({.blocked_s = 2});
  predicted.ranks.push_back({.blocked_s = 2});
  EXPECT_EQ(doubt_of_computation(recorded, predicted), 0);
  predicted.ranks[0].blocked_s = 1;
  EXPECT_NEAR(doubt_of_computation(recorded, predicted), 0.1, 1e-12);
  EXPECT_NEAR(doubt_of_computation(predicted, recorded), 0.1, 1e-12);
  predicted.ranks[0].blocked_s = 0;
  EXPECT_NEAR(doubt_of_computation(recorded, predicted), 0.2, 1e-12);
  EXPECT_EQ(doubt_of_computation(Simulated{}, Simulated{}), 0);
}

// An interval holds them: 5% of a closed loop are 10% of all that is no computation, of which there are 20 ms, and computation of 1 ms a message
// is doubted where the wire is ten times faster.
TEST(Doubts, IntervalsHoldThem) {
  const Trace trace = ping_pong(1000, 1e-3);
  MachineModel model = LinearMachine().model();
  model.closed_loop = {entry("two-way", 1000, 0.05)};
  const auto wide = predict(trace, model, {});
  const auto faster = predict(trace, LinearMachine().model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(wide && faster);
  const double messages_s = wide->predicted_s - 20e-3;
  EXPECT_GT(messages_s, 5e-3);
  const auto doubt = std::find_if(wide->doubts.begin(), wide->doubts.end(),
                                  [](const SourceOfDoubt& one) { return one.source == messages_that_meet; });
  ASSERT_NE(doubt, wide->doubts.end());
  EXPECT_NEAR(doubt->below_s, 0.1 * messages_s, 1e-9);
  EXPECT_NEAR(doubt->above_s, 0.1 * messages_s, 1e-9);
  EXPECT_GE(wide->predicted_high_s - wide->predicted_s, doubt->above_s);
  EXPECT_GT(faster->predicted_high_s, faster->predicted_s + 0.2 * 0.1 * 20e-3);
}

// Of a run of a second: other rules are taken where they come nearer by 2% of it and leave at most half; what gives it back as well may be another
// run's, and where large messages meet the rest by chance, of those that slow two directions alike.
TEST(Doubts, RulesAreTheUsualOnesUnlessOthersGiveTheRunBack) {
  const TrafficRules turns{.in_turn = true}, apart{.reads_apart = true}, quick{.two_way_slows = false};
  const auto checked = [&](double usual_s, double in_turn_s, double apart_s) {
    return std::vector<SelfCheck>{
        {0, usual_s, {}, {}}, {0, 0.999, quick, {}}, {0, in_turn_s, turns, {}}, {0, apart_s, apart, {}}};
  };
  const ChosenRules usual = choose_rules(checked(0.99, 1.005, 1.5), 1, true);
  EXPECT_EQ(usual.check.rules, TrafficRules{});
  EXPECT_EQ(usual.check.also_possible, std::vector{turns});
  EXPECT_EQ(usual.by_chance, std::vector{apart});
  EXPECT_TRUE(choose_rules(checked(0.99, 1.005, 1.5), 1, false).by_chance.empty());
  EXPECT_EQ(choose_rules({{0, 0.9, {}, {}}, {0, 0.94, turns, {}}}, 1, true).check.rules, TrafficRules{})
      << "leaves more than half";
  const ChosenRules others =
      choose_rules({{0, 0.9, {}, {}}, {0, 0.96, turns, {}}, {0, 1.5, apart, {}}}, 1, true);
  EXPECT_EQ(others.check.rules, turns);
  EXPECT_EQ(others.check.also_possible, std::vector{TrafficRules{}}) << "the libraries' stay possible";
  EXPECT_EQ(others.by_chance, std::vector{apart});
}

}  // namespace
}  // namespace ww::simulate

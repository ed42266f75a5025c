// Doubts beyond the model's intervals, and that intervals hold them; expected values by hand.
#include "simulate/doubts.hpp"

#include <gtest/gtest.h>

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
  EXPECT_NEAR(doubt_of_messages(*of_collective, model, model, simulated).above_s, 2 * 2 * 3, 1e-9);
  EXPECT_EQ(doubt_of_messages(*of_collective, model, model, simulated).below_s, 0);
  EXPECT_EQ(doubt_of_messages(*of_message, model, model, simulated).above_s, 0);
  EXPECT_NEAR(doubt_of_messages(*of_message, model, model, simulated).below_s, 2 * 0.2 * 3, 1e-9);
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
    const DoubtSum sum = doubts_beside_replays(*program, {}, model, model, prediction);
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

// An interval holds them: 5% of a closed loop are 10% of what is blocked, and computation of 1 ms a message
// is doubted where the wire is ten times faster.
TEST(Doubts, IntervalsHoldThem) {
  const Trace trace = ping_pong(1000, 1e-3);
  MachineModel model = LinearMachine().model();
  const auto narrow = predict(trace, model, {});
  model.closed_loop = {entry("two-way", 1000, 0.05)};
  const auto wide = predict(trace, model, {});
  const auto faster = predict(trace, LinearMachine().model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(narrow && wide && faster);
  const double blocked_s = (wide->simulated.ranks[0].blocked_s + wide->simulated.ranks[1].blocked_s) / 2;
  EXPECT_GT(blocked_s, 5e-3);
  EXPECT_GE(wide->predicted_high_s, wide->predicted_s + 0.1 * blocked_s * 0.999);
  EXPECT_LE(wide->predicted_low_s, wide->predicted_s - 0.1 * blocked_s * 0.999);
  EXPECT_GT(wide->predicted_high_s - wide->predicted_low_s,
            narrow->predicted_high_s - narrow->predicted_low_s);
  EXPECT_GT(faster->predicted_high_s, faster->predicted_s + 0.2 * 0.1 * 20e-3);
}

}  // namespace
}  // namespace ww::simulate

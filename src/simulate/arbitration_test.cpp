// Expected times are closed forms on the linear machine of the fixture: 100 us and 1 us a byte, of which a
// port is busy for the bytes. Nothing computes but where it says so.
#include "simulate/arbitration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

constexpr double ps = 1e-12;

double elapsed_s(TraceBuilder& builder, Arbitration rule) {
  SimulateOptions options;
  options.arbitration = rule;
  const auto simulated = replay(builder.trace(), LinearMachine().model(), options);
  EXPECT_TRUE(simulated) << to_string(simulated.error());
  return simulated->elapsed_s;
}

// Hosts 1, 2 and 3 send 1000, 3000 and 500 bytes to rank 0, the last two while the first is served; rank 0
// computes for 5 ms when it has the last.
TraceBuilder incast() {
  auto builder = TraceBuilder::spread(4);
  builder.send(1, 0, 1000);
  builder.compute(2, 10e-6);
  builder.send(2, 0, 3000);
  builder.compute(3, 20e-6);
  builder.send(3, 0, 500);
  builder.recv(0, 3, 500);
  builder.compute(0, 5e-3);
  builder.recv(0, 1, 1000);
  builder.recv(0, 2, 3000);
  return builder;
}

TEST(Arbitration, RulesSayWhoIsNextAtAPort) {
  auto builder = incast();
  // Ranks 1, 2, 3: 100 + 1000 + 3000 + 500 us. All three pairs have had no turn, and nothing ties.
  for (const Arbitration rule : {Arbitration::first_come, Arbitration::turns, Arbitration::higher_rank})
    EXPECT_NEAR(elapsed_s(builder, rule), 9.6e-3, ps) << to_string(rule);
  EXPECT_NEAR(elapsed_s(builder, Arbitration::shares), 6.6e-3, ps);  // 1, 3, 2
}

TEST(Arbitration, TiesGoToTheLowerOrTheHigherRank) {
  auto builder = TraceBuilder::spread(3);
  builder.send(1, 0, 1000);
  builder.send(2, 0, 1000);
  builder.recv(0, 2, 1000);
  builder.compute(0, 5e-3);
  builder.recv(0, 1, 1000);
  EXPECT_NEAR(elapsed_s(builder, Arbitration::first_come), 7.1e-3, ps);
  EXPECT_NEAR(elapsed_s(builder, Arbitration::higher_rank), 6.1e-3, ps);
}

// Ranks 0 and 1 share a host; rank 0 has three messages of 1000 bytes to send, rank 1 one, a little later.
TEST(Arbitration, PairsTakeTurns) {
  TraceBuilder builder({"a", "a", "b"});
  const auto first = builder.isend(0, 2, 1000), second = builder.isend(0, 2, 1000),
             third = builder.isend(0, 2, 1000);
  builder.wait(0, {first, second, third}, {});
  builder.compute(1, 50e-6);
  builder.send(1, 2, 1000);
  builder.recv(2, 1, 1000);
  builder.compute(2, 10e-3);
  for (int i = 0; i < 3; ++i) builder.recv(2, 0, 1000);
  EXPECT_NEAR(elapsed_s(builder, Arbitration::first_come), 14.1e-3, ps);
  EXPECT_NEAR(elapsed_s(builder, Arbitration::turns), 12.1e-3, ps);
}

// Between two ranks nothing passes: 10 bytes stay behind 2000 and 3000.
TEST(Arbitration, MessagesOfAPairKeepTheirOrder) {
  auto builder = TraceBuilder::spread(2);
  const auto first = builder.isend(0, 1, 2000), second = builder.isend(0, 1, 3000),
             third = builder.isend(0, 1, 10);
  builder.wait(0, {first, second, third}, {});
  const auto a = builder.irecv(1, 0, 2000), b = builder.irecv(1, 0, 3000), c = builder.irecv(1, 0, 10);
  builder.wait(1, {}, {c});
  builder.compute(1, 1e-3);
  builder.wait(1, {}, {a, b});
  for (const Arbitration rule :
       {Arbitration::first_come, Arbitration::higher_rank, Arbitration::turns, Arbitration::shares})
    EXPECT_NEAR(elapsed_s(builder, rule), 100e-6 + 5010e-6 + 1e-3, ps) << to_string(rule);
}

TEST(Arbitration, IntervalsHoldAllRulesAndSaySo) {
  auto builder = incast();
  const auto prediction = predict(builder.trace(), LinearMachine().model(), WhatIf{});
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_NEAR(prediction->predicted_s, 9.6e-3, ps);
  ASSERT_EQ(prediction->arbitration.others.size(), 3u);
  EXPECT_LE(prediction->predicted_low_s, 6.6e-3 + ps);
  const nlohmann::json told = to_json(*prediction)["arbitration"];
  EXPECT_EQ(told["rule"], "first_come");
  EXPECT_NEAR(told["low_s"], 6.6e-3, ps);
  EXPECT_NEAR(told["high_s"], 9.6e-3, ps);
  EXPECT_NEAR(told["others"]["shares"], 6.6e-3, ps);
  const auto& said = prediction->assumptions;
  EXPECT_TRUE(std::any_of(said.begin(), said.end(), [](const std::string& line) {
    return line.find("6.60 ms to 9.60 ms") != std::string::npos;
  }));
}

TEST(Arbitration, NothingIsArbitratedWithinAHost) {
  TraceBuilder builder({"a", "a"});
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  MachineModel model = LinearMachine().model();
  model.links[0].between = Place::intra;
  const auto prediction = predict(builder.trace(), model, WhatIf{});
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_TRUE(prediction->arbitration.others.empty());
}

}  // namespace
}  // namespace ww::simulate

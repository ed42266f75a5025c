// S4's scenarios on a hand-made trace. Expected: closed forms on the linear machine, and its split of the
// blocked time: what is waited before the partner begins its send is algorithmic, the rest service.
#include "simulate/scenarios.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simulate/machine_fixture.hpp"

namespace ww::simulate {
namespace {

// Rank 0 computes 5 ms and sends 1000 bytes to rank 1, who has been waiting.
TraceBuilder one_message() {
  auto builder = TraceBuilder::spread(2);
  builder.compute(0, 5e-3);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  return builder;
}

TEST(Scenarios, SplitTheBlockedTimeByStation) {
  LinearMachine machine;
  machine.send_s = 20e-6;
  auto builder = one_message();
  const auto compared = scenarios("bandwidth=x10");
  ASSERT_TRUE(compared);
  std::vector<WhatIf> what_ifs;
  for (const Scenario& scenario : *compared) what_ifs.push_back(scenario.what_if);
  // the recorded calls are shorter than the model has it, so that nothing is calibrated
  const auto predictions = predict_all(builder.trace(), machine.model(), what_ifs);
  ASSERT_TRUE(predictions) << to_string(predictions.error());
  const auto json = scenarios_json(builder.trace(), *compared, *predictions);
  ASSERT_EQ(json.size(), 4u);
  // latency 100 us of which 20 are software; 1 us a byte
  const double service_s[] = {1100e-6, 200e-6, 1082e-6, 182e-6};
  const double network_s[] = {1080e-6, 180e-6, 1080e-6, 180e-6};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& sender = json[i]["stations"][0];
    const auto& receiver = json[i]["stations"][1];
    EXPECT_NEAR(json[i]["predicted_s"].get<double>(), 5e-3 + service_s[i], 1e-9) << i;
    EXPECT_NEAR(receiver["blocked_algorithmic_s"].get<double>(), 5e-3, 1e-9) << i;
    EXPECT_NEAR(receiver["blocked_service_s"].get<double>(), service_s[i], 1e-9) << i;
    EXPECT_NEAR(sender["network_s"].get<double>(), network_s[i], 1e-9) << i;
    EXPECT_NEAR(sender["queued_s"].get<double>(), 0, 1e-9) << i;
    EXPECT_EQ(sender["blocked_s"], 0);
    EXPECT_EQ(sender["messages"], 1);
    EXPECT_EQ(sender["bytes"], 1000);
    EXPECT_EQ(receiver["network_s"], 0);
    EXPECT_NEAR(json[i]["service_percent"].get<double>(), 100 * service_s[i] / (5e-3 + service_s[i]), 1e-6);
    EXPECT_NEAR(json[i]["mean"]["blocked_s"].get<double>(), (5e-3 + service_s[i]) / 2, 1e-9);
  }
}

// Two messages of 1000 bytes from one host at the same instant: the second waits for the first one's port.
TEST(Scenarios, WhatWaitsForAPortIsQueued) {
  const LinearMachine machine;
  TraceBuilder builder({"a", "a", "b", "b"});
  for (const int sender : {0, 1}) {
    builder.send(sender, sender + 2, 1000);
    builder.recv(sender + 2, sender, 1000);
  }
  const auto simulated = replay(builder.trace(), machine.model(), {});
  ASSERT_TRUE(simulated);
  EXPECT_NEAR(simulated->ranks[0].queued_s, 0, 1e-9);
  EXPECT_NEAR(simulated->ranks[1].queued_s, 1e-3, 1e-9);
  EXPECT_NEAR(simulated->ranks[1].network_s, 2e-3 + machine.latency_s, 1e-9);
}

TEST(Scenarios, TheFasterWireIsAnySpec) {
  EXPECT_TRUE(scenarios("bandwidth=x100,latency=x0.1"));
  EXPECT_FALSE(scenarios("software=x0.5")) << "cut twice";
  EXPECT_FALSE(scenarios("faster"));
}

}  // namespace
}  // namespace ww::simulate

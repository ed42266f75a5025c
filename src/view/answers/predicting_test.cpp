// What the pictures of models and predictions ask: the numbers are those of the stages, whose commands print them too.
#include <gtest/gtest.h>

#include "simulate/free/explain.hpp"
#include "simulate/scenarios.hpp"
#include "study/simulated_signature.hpp"
#include "view/responder_fixture.hpp"

namespace ww::view {
namespace {

MachineModel comet() {
  return *find_preset("comet");
}

TEST(ViewPredicting, CurvesReachFromNothingToTenTimesWhatWasRecorded) {
  Answering answering;
  const auto recorded = simulate::parameters_of(comet(), answering.trace().network());
  const nlohmann::json told = answering.json("data/0/curves", "what_if=latency=x0.5");
  EXPECT_EQ(told["unchanged_s"]["latency"], recorded.latency_s);
  const nlohmann::json& latency = told["contention_free"]["curves"]["latency"];
  EXPECT_NEAR(latency["now_s"], recorded.latency_s / 2, 1e-9 * recorded.latency_s + 1e-12);
  EXPECT_NEAR(latency["pieces"][0]["from_s"], 0, 1e-12);
  EXPECT_NEAR(latency["to_s"], 10 * recorded.latency_s, 1e-11);
  // Where the curve is as recorded it is what the run takes without contention on the machine that recorded, to what cutting
  // its costs at frames may be off by.
  double there_s = 0;
  for (const nlohmann::json& piece : latency["pieces"])
    if (piece["from_s"] <= recorded.latency_s)
      there_s = piece["predicted_s"].get<double>() +
                piece["s_per_s"].get<double>() * (recorded.latency_s - piece["from_s"].get<double>());
  const nlohmann::json as_recorded = answering.json("data/0/curves");
  const double expected_s = as_recorded["contention_free"]["predicted_s"];
  EXPECT_NEAR(there_s, expected_s, 0.001 * expected_s);
  const auto predicted = predict_all(answering.trace(), comet(), {parse_what_if("latency=x0.5").value()}, {});
  ASSERT_TRUE(predicted) << to_string(predicted.error());
  EXPECT_EQ(told["predicted_s"], predicted->front().predicted_s);
  EXPECT_EQ(told["predicted_low_s"], predicted->front().predicted_low_s);
}

TEST(ViewPredicting, CurvesOfANetworkByNameAreNotTold) {
  Answering answering;
  const nlohmann::json told = answering.json("data/0/curves", "what_if=network=bus");
  EXPECT_FALSE(told.contains("contention_free"));
  EXPECT_NE(told["not_explained"].get<std::string>().find("network by name"), std::string::npos) << told;
}

TEST(ViewPredicting, ScenariosAreThoseOfSimulate) {
  Answering answering;
  const auto asked = scenarios("bandwidth=x10");
  ASSERT_TRUE(asked);
  std::vector<WhatIf> what_ifs;
  for (const Scenario& one : *asked) what_ifs.push_back(one.what_if);
  const auto predicted = predict_all(answering.trace(), comet(), what_ifs, {});
  ASSERT_TRUE(predicted) << to_string(predicted.error());
  const nlohmann::json expected = scenarios_json(answering.trace(), *asked, *predicted);
  const nlohmann::json told =
      answering.json("data/0/scenarios", "what_ifs=bandwidth=x10;software=x0.1;bandwidth=x10,software=x0.1");
  ASSERT_EQ(told["scenarios"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (const char* key : {"what_if", "predicted_s", "predicted_high_s", "mean", "gain"})
      EXPECT_EQ(told["scenarios"][i][key], expected[i][key]) << i << key;
  EXPECT_EQ(told["scenarios"][2]["stations"][1]["blocked_s"], expected[2]["stations"][1]["blocked_s"]);
  EXPECT_FALSE(told["scenarios"][1]["assumptions"].empty());
}

TEST(ViewPredicting, TheMachineIsAsItsFileHasIt) {
  Answering answering;
  nlohmann::json told = answering.json("data/0/machine");
  EXPECT_EQ(told["diagnostics"].empty(), comet().flags.empty());
  told.erase("diagnostics");
  EXPECT_EQ(told, nlohmann::json::parse(to_json(comet()).dump()));
  EXPECT_EQ(answering.json("data/0/machine", "machine=ncube-seven")["name"], "ncube-seven");
}

TEST(ViewPredicting, DilationIsThatOfRunsOrElseSimulated) {
  Answering answering;
  const auto expected =
      simulated_signature({*answering.traces().find(0)->program().value(), &answering.trace()}, comet(), {},
                          {1, 2, 4, 6, 8, 16}, {});
  ASSERT_TRUE(expected) << to_string(expected.error());
  const nlohmann::json simulated = answering.json("data/0/dilation");
  EXPECT_EQ(simulated["by"], "simulation");
  const nlohmann::json json = to_json(*expected);
  for (const char* key : {"shares", "speedup", "runs", "predicted_s"})
    EXPECT_EQ(simulated[key], json[key]) << key;
  answering.traces().find(0)->keep_dilation(std::make_shared<const nlohmann::json>(
      nlohmann::json{{"shares", nlohmann::json::array()}, {"speedup", nlohmann::json::array()}}));
  EXPECT_EQ(answering.json("data/0/dilation", "simulated=0")["by"], "dilation");
  EXPECT_EQ(answering.json("data/0/dilation", "simulated=1")["told"], true);
  Answering guests(true);
  EXPECT_EQ(guests.ask("data/0/dilation").status, 403);
  EXPECT_EQ(guests.ask("data/0/machine").status, 200);
}

}  // namespace
}  // namespace ww::view

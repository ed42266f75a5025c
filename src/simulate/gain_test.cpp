// Expectations: quotients by hand of a run whose replay is off by a known amount.
#include "simulate/gain.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simulate/machine_fixture.hpp"
#include "simulate/program.hpp"
#include "simulate/sweep.hpp"

namespace ww::simulate {
namespace {

// 20 rounds of 1 ms of computation and a message of 1000 bytes there and back, recorded `slower` times as
// long as the linear machine takes: what was lost was lost in the last receive, where no model has it.
TraceBuilder recorded(double slower) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  constexpr std::int64_t call_ns = 1000, compute_ns = 1000000;
  const auto one_way_ns = static_cast<std::int64_t>(machine.one_way_s(1000) * 1e9);
  const std::int64_t round_ns = compute_ns + 2 * one_way_ns;
  const auto lost_ns = static_cast<std::int64_t>((slower - 1) * 20 * static_cast<double>(round_ns));
  const auto call = [&](std::int64_t ns) { builder.call_ns = ns; };
  for (int round = 0; round < 20; ++round) {
    builder.compute(0, compute_ns * 1e-9);
    call(call_ns);
    builder.send(0, 1, 1000);
    call(compute_ns + (round == 0 ? one_way_ns : 2 * one_way_ns - call_ns));
    builder.recv(1, 0, 1000);
    call(call_ns);
    builder.send(1, 0, 1000);
    call(2 * one_way_ns - call_ns + (round == 19 ? lost_ns : 0));
    builder.recv(0, 1, 1000);
  }
  return builder;
}

Prediction prediction_of(double recorded_s, double replayed_s, double predicted_s) {
  Prediction out;
  out.recorded_s = recorded_s;
  out.replayed_s = out.baseline_s = replayed_s;
  out.predicted_s = predicted_s;
  out.predicted_low_s = 0.9 * predicted_s;
  out.predicted_high_s = 1.25 * predicted_s;
  return out;
}

// cg.S.2 as a user met it: recorded 19.2 ms, replayed 16.7, predicted 16.4: 1.02x and not 1.17x.
TEST(Gain, IsAgainstTheReplayedTime) {
  const Gain gain = gain_of(prediction_of(18.2e-3, 16.7e-3, 16.4e-3));
  EXPECT_NEAR(gain.value, 16.7 / 16.4, 1e-12);
  EXPECT_NEAR(gain.low, 16.7 / (1.25 * 16.4), 1e-12);
  EXPECT_NEAR(gain.high, 16.7 / (0.9 * 16.4), 1e-12);
  EXPECT_EQ(gain.against_s, 16.7e-3);
  EXPECT_EQ(gain.withheld, "");
}

// bt.S.4 on two cores: a self-check of -94% and "18.30x".
TEST(Gain, IsWithheldWhereTheSelfCheckIsOff) {
  const Gain gain = gain_of(prediction_of(1.83, 0.11, 0.1));
  EXPECT_NE(gain.withheld.find("(-94%)"), std::string::npos) << gain.withheld;
  const nlohmann::json json = to_json(gain);
  EXPECT_TRUE(json["gain"].is_null() && json["gain_low"].is_null() && json["gain_high"].is_null());
  EXPECT_EQ(json["gain_withheld"], gain.withheld);
  EXPECT_EQ(gain_of(prediction_of(1, 1.099, 0.5)).withheld, "");
  EXPECT_NE(gain_of(prediction_of(1, 1.101, 0.5)).withheld, "");
}

// Whatever the replay is off by, nothing changed gains nothing, and its interval knows it.
TEST(Gain, OfNothingIsExactlyOne) {
  const MachineModel model = LinearMachine().model();
  for (const double slower : {1.0, 1.08}) {
    auto builder = recorded(slower);
    const auto all = predict_all(builder.trace(), model,
                                 {WhatIf{}, *parse_what_if("bandwidth=x1"), *parse_what_if("bandwidth=x10")});
    ASSERT_TRUE(all) << to_string(all.error());
    for (std::size_t i = 0; i < 2; ++i) {
      const nlohmann::json json = to_json((*all)[i]);
      for (const char* key : {"gain", "gain_low", "gain_high"}) EXPECT_EQ(json[key], 1) << key << slower;
      EXPECT_EQ(json["gain_against_s"], json["replayed_s"]);
    }
    const double recorded_s = (*all)[0].recorded_s, replayed_s = (*all)[0].replayed_s;
    EXPECT_NEAR(recorded_s / replayed_s, slower, 0.02);
    EXPECT_NEAR(gain_of((*all)[2]).value, replayed_s / (*all)[2].predicted_s, 1e-12);
  }
}

TEST(Gain, OfASweepsCellIsThatOfItsWhatIf) {
  const MachineModel model = LinearMachine().model();
  auto builder = recorded(1.05);
  const Trace trace = builder.trace();
  const auto program = compile(trace);
  ASSERT_TRUE(program);
  const auto grid = make_grid({"bandwidth=x1,x10", "latency=x1,x2"});
  ASSERT_TRUE(grid);
  const Replayable run{*program, &trace};
  const auto cells = sweep(run, model, *grid, {}, [](std::size_t) { return true; });
  const auto first = predict(trace, model, {});
  ASSERT_TRUE(cells && first);
  const nlohmann::json json = sweep_json(*first, *grid, *cells);
  EXPECT_EQ(json["replayed_s"], first->replayed_s);
  EXPECT_TRUE(json["gain_withheld"].is_null());
  EXPECT_EQ(json["cells"][0]["gain"], 1);
  EXPECT_EQ(json["cells"][0]["gain_low"], 1);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto one = predict(trace, model, *grid->what_if(i));
    ASSERT_TRUE(one);
    EXPECT_EQ(json["cells"][i]["gain"], to_json(*one)["gain"]) << i;
    EXPECT_EQ(json["cells"][i]["gain_high"], to_json(*one)["gain_high"]) << i;
  }
}

// Of computations that count as in like runs the baseline has the same ones: only the what-if is a gain.
TEST(Gain, DividesWhatHasTheSameComputations) {
  const MachineModel model = LinearMachine().model();
  auto builder = recorded(1);
  const Trace trace = builder.trace();
  const auto program = compile(trace);
  ASSERT_TRUE(program);
  Undisturbed run;
  run.computations = computations_of(trace);
  run.replaced = 1;
  double removed_s = 0;
  for (double& seconds : run.computations.ranks[0].seconds)
    if (removed_s == 0 && seconds > 0.5e-3) removed_s = seconds / 2, seconds /= 2;
  const auto predicted = predict_all(trace, model, {WhatIf{}}, {.computed = &run});
  ASSERT_TRUE(predicted) << to_string(predicted.error());
  const Prediction& p = predicted->front();
  EXPECT_NEAR(p.replayed_s - p.predicted_s, removed_s, 1e-9);
  EXPECT_EQ(p.baseline_s, p.predicted_s);
  EXPECT_EQ(gain_of(p).value, 1);
}

}  // namespace
}  // namespace ww::simulate

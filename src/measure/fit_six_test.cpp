#include "measure/fit_six.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace ww::measure {
namespace {

constexpr double us = 1e-6;
const std::vector<double> sizes{16, 500, 1000, 1500, 2000};

// The truth of a synthetic machine: lines, so that every expectation below follows by S1's formulas.
struct Truth {
  double base_us, slope_us;
  double at(double n) const { return (base_us + slope_us * n) * us; }
};
constexpr Truth F{160, 0.6}, S{150, 0.01}, R{180, 0.04}, A{120, 0}, U{130, 0.61}, E{220, 1.285};

struct Maker {
  double noise_s = 0;
  int count = 20;
  std::mt19937 random{7};
  Samples samples = {};

  nlohmann::json times(double seconds) {
    std::normal_distribution<double> noise(0, 1);
    nlohmann::json out = nlohmann::json::array();
    for (int i = 0; i < count; ++i) out.push_back(seconds + noise_s * noise(random));
    return out;
  }
  void six(int experiment, int hops, double n, double seconds) {
    samples.records.push_back({{"kind", "six"},
                               {"between", "inter"},
                               {"experiment", experiment},
                               {"hops", hops},
                               {"bytes", n},
                               {"computation", "integer"},
                               {"seconds", times(seconds)}});
  }
  void cost(const char* term, double n, double seconds) {
    samples.records.push_back(
        {{"kind", "cost"}, {"between", "inter"}, {"term", term}, {"bytes", n}, {"seconds", times(seconds)}});
  }
  void echo(int hops) {
    for (const double n : sizes) six(1, hops, n, 2 * (F.at(n) + hops * E.at(n) + U.at(n)));
  }
  void experiment(int number) {
    for (const double n : sizes) {
      const double seconds[] = {R.at(n), A.at(n) + U.at(n), F.at(n) + S.at(n), R.at(n) + S.at(n),
                                2 * (F.at(n) + E.at(n) + U.at(n))};
      six(number, 1, n, seconds[number - 2]);
    }
  }
  // As in a hypercube, where messages are forwarded.
  void forwarding() {
    for (int hops = 1; hops <= 5; ++hops) echo(hops);
    for (int number = 2; number <= 6; ++number) experiment(number);
  }
  // As between two MPI processes.
  void pair() {
    echo(1);
    for (const int number : {2, 3, 4}) experiment(number);
    for (const double n : sizes) {
      cost("F", n, F.at(n));
      cost("A", n, A.at(n));
    }
  }
};

void expect_truth(const SixFit& fit, double base_us, double slope_us) {
  const struct {
    const SixTerm& term;
    Truth truth;
  } all[] = {{fit.F, F}, {fit.S, S}, {fit.R, R}, {fit.A, A}, {fit.U, U}, {fit.E, E}};
  for (const auto& [term, truth] : all) {
    EXPECT_EQ(term.points.size(), sizes.size());
    EXPECT_NEAR(term.line.base_s / us, truth.base_us, base_us);
    EXPECT_NEAR(term.line.seconds_per_byte / us, truth.slope_us, slope_us);
  }
}

TEST(FitSix, ForwardedMessagesGiveAllTermsInTheOrderOfS1) {
  Maker maker;
  maker.forwarding();
  const SixFit fit = fit_six(maker.samples, "inter");
  expect_truth(fit, 1e-6, 1e-9);
  EXPECT_TRUE(fit.flags.empty()) << fit.flags.front();
  EXPECT_EQ(fit.computation, "integer");
  EXPECT_TRUE(fit_six(maker.samples, "intra").E.points.empty());
}

TEST(FitSix, ANeighbourAloneGivesAllTermsWithTheCallsTimed) {
  Maker maker;
  maker.pair();
  const SixFit fit = fit_six(maker.samples, "inter");
  expect_truth(fit, 1e-6, 1e-9);
  EXPECT_TRUE(fit.flags.empty()) << fit.flags.front();
}

// The sum A + U from the "cost" records where experiment 3 is missing: the quicker half of them, as the
// slower may hold receives that waited.
TEST(FitSix, TheReceiveOfWhatIsThereMayBeACost) {
  Maker maker;
  maker.pair();
  std::erase_if(maker.samples.records,
                [](const nlohmann::json& record) { return record.value("experiment", 0) == 3; });
  for (const double n : sizes) {
    maker.cost("A+U", n, A.at(n) + U.at(n));
    nlohmann::json& seconds = maker.samples.records.back()["seconds"];
    for (std::size_t i = 0; i < seconds.size() / 2; ++i) seconds[i] = 1.0;
  }
  expect_truth(fit_six(maker.samples, "inter"), 1e-6, 1e-9);
}

// Costs are measured in every launch: a first one whose receives took 10 us longer is the slower half.
TEST(FitSix, CostsOfAllLaunchesCount) {
  Maker maker;
  maker.pair();
  std::erase_if(maker.samples.records,
                [](const nlohmann::json& record) { return record.value("experiment", 0) == 3; });
  for (const double slower_s : {10 * us, 0.0})
    for (const double n : sizes) maker.cost("A+U", n, A.at(n) + U.at(n) + slower_s);
  expect_truth(fit_six(maker.samples, "inter"), 1e-6, 1e-9);
}

// Between two processes that wait in the library both echoes, without a computation underneath, take 2 (F + E
// + U): of one 2 us too long and the other 2 us too short the mean is right.
TEST(FitSix, BothEchoesOfAPairCount) {
  Maker maker;
  maker.pair();
  maker.experiment(6);
  for (nlohmann::json& record : maker.samples.records) {
    const int number = record.value("experiment", 0);
    if (number != 1 && number != 6) continue;
    const double n = record["bytes"].get<double>();
    record["computation"] = "none";
    record["seconds"] = maker.times(2 * (F.at(n) + E.at(n) + U.at(n)) + (number == 1 ? 2 : -2) * us);
  }
  expect_truth(fit_six(maker.samples, "inter"), 1e-6, 1e-9);
}

// With a computation underneath they are S1's own (3.2, 3.4), and those of idle processes, here 30 us shorter, do not count.
TEST(FitSix, EchoesOverAComputationGoBeforeThoseOfIdleProcesses) {
  Maker maker;
  maker.pair();
  maker.experiment(6);
  const auto busy = maker.samples.records;
  for (nlohmann::json record : busy) {
    const int number = record.value("experiment", 0);
    if (number != 1 && number != 6) continue;
    record["computation"] = "none";
    for (nlohmann::json& seconds : record["seconds"]) seconds = seconds.get<double>() - 30 * us;
    maker.samples.records.push_back(record);
  }
  for (const double n : sizes) maker.cost("A+U", n, A.at(n) + U.at(n));  // (3) of idle processes
  const SixFit fit = fit_six(maker.samples, "inter");
  expect_truth(fit, 1e-6, 1e-9);
  const auto all = all_six_lines(maker.samples, "inter", fit);
  ASSERT_TRUE(all.contains("six_lines_idle"));
  EXPECT_NEAR(all["six_lines_idle"]["E"]["base_s"].get<double>() / us, 220 - 15, 1e-6);
}

TEST(FitSix, UFromTheEchoWhereNoReceiveWasPostedFirst) {
  Maker maker;
  maker.forwarding();
  std::erase_if(maker.samples.records,
                [](const nlohmann::json& record) { return record["experiment"] == 6; });
  expect_truth(fit_six(maker.samples, "inter"), 1e-6, 1e-9);
}

// 5 us of noise on 20 samples: a median is uncertain by 5 * 1.25 / sqrt(20) = 1.4 us, U is a sum of five. The
// intervals must hold the truth in most of the cases and be of that size.
TEST(FitSix, IntervalsHoldTheTruth) {
  int held = 0, all = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Maker maker{5 * us};
    maker.random.seed(seed);
    maker.forwarding();
    const SixFit fit = fit_six(maker.samples, "inter");
    expect_truth(fit, 8, 0.008);
    const std::pair<const SixTerm&, Truth> terms[] = {{fit.E, E}, {fit.R, R}, {fit.U, U}, {fit.A, A}};
    for (const auto& [term, truth] : terms)
      for (const SixPoint& point : term.points) {
        ++all;
        held +=
            point.interval_s.low <= truth.at(point.bytes) && truth.at(point.bytes) <= point.interval_s.high;
        EXPECT_LT(point.interval_s.high - point.interval_s.low, 25 * us);
        EXPECT_EQ(point.samples, 20u);
      }
  }
  EXPECT_GE(held, all * 88 / 100) << held << " of " << all;
}

// Without (2), neither R nor S is known where nothing is forwarded but F is; with neither, no F, U, A.
TEST(FitSix, WhatAMissingExperimentLeaves) {
  Maker maker;
  maker.forwarding();
  std::erase_if(maker.samples.records,
                [](const nlohmann::json& record) { return record["experiment"] == 2; });
  const SixFit fit = fit_six(maker.samples, "inter");
  EXPECT_TRUE(fit.E.has_line());
  for (const SixTerm* term : {&fit.R, &fit.S, &fit.F, &fit.U, &fit.A}) EXPECT_FALSE(term->has_line());
  ASSERT_EQ(fit.flags.size(), 1u);
  EXPECT_NE(fit.flags[0].find("no line of F, S, R, A, U"), std::string::npos) << fit.flags[0];
  EXPECT_FALSE(six_lines(fit).contains("R"));
  EXPECT_TRUE(costs_of(fit).R.empty());
}

TEST(FitSix, ImpossibleValuesAreFlagged) {
  Maker maker{us};
  maker.forwarding();
  // forwarding that costs less than receiving: S below nothing, and falling with size
  for (nlohmann::json& record : maker.samples.records)
    if (record["experiment"] == 5)
      record["seconds"] = maker.times(R.at(16) - 0.1 * us * record["bytes"].get<double>());
  const SixFit fit = fit_six(maker.samples, "inter");
  int negative = 0, falls = 0;
  for (const std::string& flag : fit.flags) {
    negative += flag.find("S at 2000 bytes") != std::string::npos;
    falls += flag.find("S falls with size") != std::string::npos;
  }
  EXPECT_EQ(negative, 1);
  EXPECT_EQ(falls, 1);
}

// S1, Table 1. Samples of (2) that rise by 10 us from fifth to fifth make five trials R, R + 10 us, .. R + 40 us, whose mean is R +
// 20 us and whose deviation is the root of (400 + 100 + 0 + 100 + 400) / 4; S = (5) - R falls as R rises, F = (4) - S rises
// with it. E needs none of them.
TEST(FitSix, FiveTrialsHaveAMeanAndADeviation) {
  Maker maker;
  maker.forwarding();
  for (nlohmann::json& record : maker.samples.records)
    if (record["experiment"] == 2)
      for (int i = 0; i < 20; ++i)
        record["seconds"][i] = R.at(record["bytes"]) + 10 * us * static_cast<double>(i / 4);
  const SixFit fit = fit_six(maker.samples, "inter");
  const struct {
    const SixTerm& term;
    Truth truth;
    double mean_off_us;
  } all[] = {{fit.R, R, 20}, {fit.S, S, -20}, {fit.F, F, 20}};
  for (const auto& [term, truth, mean_off_us] : all)
    for (const SixPoint& point : term.points) {
      EXPECT_EQ(point.trials, 5);
      EXPECT_NEAR(point.mean_s / us, truth.at(point.bytes) / us + mean_off_us, 1e-6);
      EXPECT_NEAR(point.deviation_s / us, std::sqrt(250), 1e-6);
    }
  for (const SixPoint& point : fit.E.points) EXPECT_NEAR(point.deviation_s, 0, 1e-12);
  EXPECT_NEAR(six_lines(fit)["R"]["points"][0]["mean_s"].get<double>() / us, R.at(16) / us + 20, 1e-6);
}

TEST(FitSix, FewerSamplesThanTrialsHaveNone) {
  Maker maker;
  maker.count = 4;
  maker.forwarding();
  const SixFit fit = fit_six(maker.samples, "inter");
  for (const SixPoint& point : fit.E.points) EXPECT_EQ(point.trials, 0);
  EXPECT_FALSE(six_lines(fit)["E"]["points"][0].contains("mean_s"));
}

// Under PVM messages are passed on over one hop, and the send call is timed by itself: F is that call, however much (4) and (5) are off.
// Of (4) 30 us too long and (5) 10 us too short S is the mean, 10 us too long.
TEST(FitSix, OverOneHopForwardingGivesSAndLeavesTheSendCall) {
  Maker maker;
  maker.pair();
  maker.experiment(5);
  expect_truth(fit_six(maker.samples, "inter"), 1e-6, 1e-9);
  for (nlohmann::json& record : maker.samples.records) {
    if (record["kind"] != "six") continue;
    const double off_s = record["experiment"] == 4 ? 30 * us : record["experiment"] == 5 ? -10 * us : 0;
    for (nlohmann::json& seconds : record["seconds"]) seconds = seconds.get<double>() + off_s;
  }
  const SixFit fit = fit_six(maker.samples, "inter");
  for (const SixPoint& point : fit.S.points)
    EXPECT_NEAR(point.typical_s / us, S.at(point.bytes) / us + 10, 1e-6);
  for (const SixPoint& point : fit.F.points) EXPECT_NEAR(point.typical_s / us, F.at(point.bytes) / us, 1e-6);
}

// Of a floating-point computation whose messages take 7 us more from it (2 and 4), S1's Table 2, and of idle processors, whose
// echoes are 4 us a hop shorter there and back (S1, 5.1).
TEST(FitSix, FloatingPointAndIdleProcessorsHaveLinesOfTheirOwn) {
  Maker maker;
  maker.forwarding();
  const auto integer = maker.samples.records;
  for (nlohmann::json record : integer) {
    const int number = record["experiment"].get<int>();
    record["computation"] = "floating";
    if (number == 2 || number == 4)
      for (nlohmann::json& seconds : record["seconds"]) seconds = seconds.get<double>() + 7 * us;
    maker.samples.records.push_back(record);
    if (number != 1) continue;
    const double hops = record["hops"].get<double>();
    record["computation"] = "none";
    for (nlohmann::json& seconds : record["seconds"]) seconds = seconds.get<double>() - 4 * us * hops;
    maker.samples.records.push_back(record);
  }
  const auto all = all_six_lines(maker.samples, "inter", fit_six(maker.samples, "inter"));
  EXPECT_NEAR(all["six_lines"]["R"]["base_s"].get<double>() / us, 180, 1e-6);
  EXPECT_NEAR(all["six_lines_floating"]["R"]["base_s"].get<double>() / us, 187, 1e-6);
  EXPECT_NEAR(all["six_lines_floating"]["S"]["base_s"].get<double>() / us, 143, 1e-6) << "(5) - R";
  EXPECT_NEAR(all["six_lines_idle"]["E"]["base_s"].get<double>() / us, 218, 1e-6);
  EXPECT_EQ(all["six_lines_idle"].size(), 1u);
  maker.samples.records = integer;
  EXPECT_EQ(all_six_lines(maker.samples, "inter", fit_six(maker.samples, "inter")).size(), 1u);
}

TEST(FitSix, TheLineKeepsItsLargestErrorAndItsPoints) {
  Maker maker;
  maker.forwarding();
  for (nlohmann::json& record : maker.samples.records)
    if (record["experiment"] == 2 && record["bytes"] == 1000) record["seconds"] = {R.at(1000) + 10 * us};
  const SixFit fit = fit_six(maker.samples, "inter");
  const auto lines = six_lines(fit);
  // A least squares line through five points takes a part of what one is off by; the middle one has about a
  // fifth.
  EXPECT_NEAR(lines["R"]["max_error_s"].get<double>() / us, 8, 0.1);
  EXPECT_EQ(lines["R"]["points"].size(), 5u);
  EXPECT_EQ(lines["R"]["points"][2]["samples"], 1);
  EXPECT_NEAR(costs_of(fit).E.at(1000), E.at(1000), 1e-12);
}

}  // namespace
}  // namespace ww::measure

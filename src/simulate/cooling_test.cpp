// How computation depends on waiting: runs are made by the rule itself with known numbers, which the fit must give
// back, and predictions are compared with runs made so for the wait asked about.
#include "simulate/cooling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "simulate/doubts.hpp"
#include "simulate/machine_fixture.hpp"

namespace ww::simulate {
namespace {

constexpr double warm_s = 2e-3, lasts_s = 4e-3;
const double grows = std::log(1.6);

double takes_s(double away_s, double by = grows) {
  return warm_s * std::exp(by * (1 - std::exp(-away_s / lasts_s)));
}

// One rank that makes calls of these lengths, with a computation behind each that takes what `took_s` says.
template <class Took>
Computed run_of(const std::vector<double>& waits_s, Took took_s, const char* name = "a.ww") {
  Computed out{name, {"MPI_Recv"}, {{}}};
  Computed::Rank& rank = out.ranks[0];
  rank.seconds.push_back(warm_s);
  for (std::size_t i = 0; i < waits_s.size(); ++i) {
    rank.between_s.push_back(waits_s[i]);
    rank.calls.push_back(0);
    rank.seconds.push_back(took_s(i, waits_s[i]));
  }
  return out;
}

Cooling found(const Computed& recorded, const Computed& other) {
  const RunPair pair{&recorded, &other};
  const auto cooling = find_cooling({&pair, 1});
  EXPECT_TRUE(cooling) << to_string(cooling.error());
  return *cooling;
}

const CoolingKind& between_calls(const Cooling& cooling) {
  const auto most =
      std::max_element(cooling.kinds.begin(), cooling.kinds.end(),
                       [](const auto& a, const auto& b) { return a.computations < b.computations; });
  return *most;
}

std::vector<double> scaled(std::vector<double> values, double by) {
  for (double& value : values) value *= by;
  return values;
}

std::vector<double> waits(std::size_t count, double from_s, double to_s) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(from_s *
                  std::pow(to_s / from_s, static_cast<double>(i * 7 % count) / static_cast<double>(count)));
  return out;
}

// Waits of 1 to 30 ms, and a tenth of it: the grid has steps of sqrt 2, so lasts_s is within half a step and the
// other number within what that moves it by.
TEST(Cooling, GivesBackTheRuleThatRunsWereMadeBy) {
  const auto waits_s = waits(100, 1e-3, 30e-3);
  const auto took = [](std::size_t, double wait_s) { return takes_s(wait_s); };
  const Cooling cooling = found(run_of(waits_s, took), run_of(scaled(waits_s, 0.1), took));
  ASSERT_TRUE(cooling.depends());
  EXPECT_NEAR(std::log(cooling.rule.lasts_s / lasts_s), 0, std::log(2) / 4 + 1e-9);
  EXPECT_NEAR(between_calls(cooling).grows, grows, 0.1 * grows);
  EXPECT_LT(cooling.lasts_low_s, lasts_s);
  EXPECT_GT(cooling.lasts_high_s, lasts_s);
  EXPECT_NEAR(cooling.waits_ratio, 0.1, 1e-12);
  EXPECT_LT(cooling.left_over, 0.01);
}

// What takes longer after short waits grows by less than nothing.
TEST(Cooling, MayBeTheOtherWayRound) {
  const auto waits_s = waits(100, 1e-3, 30e-3);
  const auto took = [](std::size_t, double wait_s) { return takes_s(wait_s, -0.2); };
  const Cooling cooling = found(run_of(waits_s, took), run_of(scaled(waits_s, 0.1), took));
  ASSERT_TRUE(cooling.depends());
  EXPECT_NEAR(between_calls(cooling).grows, -0.2, 0.03);
  EXPECT_LT(between_calls(cooling).grows_high, 0);
}

// Of a tenth of the computations either run was disturbed, by three times their length: medians do not move.
TEST(Cooling, IsNotMovedByDisturbances) {
  const auto waits_s = waits(100, 1e-3, 30e-3);
  const auto disturbed = [](std::size_t at) {
    return [at](std::size_t i, double wait_s) { return (i % 20 == at ? 3 : 1) * takes_s(wait_s); };
  };
  const Cooling cooling = found(run_of(waits_s, disturbed(3)), run_of(scaled(waits_s, 0.1), disturbed(11)));
  ASSERT_TRUE(cooling.depends());
  EXPECT_NEAR(between_calls(cooling).grows, grows, 0.15 * grows);
  EXPECT_LT(cooling.left_over, 0.02) << "disturbed ones do not count";
}

// Noise of 5% and nothing else: said of no kind, and the two sums differ by what chance makes of it. The sign test is wrong
// once in twenty times, so of twenty draws at most five (P < 0.3%).
TEST(Cooling, IsNotSeenInNoise) {
  const auto waits_s = waits(100, 1e-3, 30e-3);
  int seen = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.05);
    const auto took = [&](std::size_t, double) { return warm_s * std::exp(noise(random)); };
    const Computed recorded = run_of(waits_s, took), other = run_of(scaled(waits_s, 0.1), took);
    const Cooling cooling = found(recorded, other);
    seen += cooling.depends();
    EXPECT_LT(cooling.left_over, 0.04);
  }
  EXPECT_LE(seen, 5);
}

// A few computations tell nothing.
TEST(Cooling, NeedsEnoughComputations) {
  const auto waits_s = waits(6, 1e-3, 30e-3);
  const auto took = [](std::size_t, double wait_s) { return takes_s(wait_s); };
  EXPECT_FALSE(found(run_of(waits_s, took), run_of(scaled(waits_s, 0.1), took)).depends());
}

// Where all waits are alike nothing tells how quickly it cools: the runs leave all of the grid open, and the prediction of
// waits between those of the two runs is held by the rules at its ends.
TEST(Cooling, LeavesOpenWhatTheRunsDoNotTell) {
  const std::vector<double> waits_s(100, 20e-3);
  const auto took = [](std::size_t, double wait_s) { return takes_s(wait_s); };
  const Cooling cooling = found(run_of(waits_s, took), run_of(scaled(waits_s, 1e-3), took));
  ASSERT_TRUE(cooling.depends());
  EXPECT_GT(cooling.lasts_high_s / cooling.lasts_low_s, 100);
  const auto kind = static_cast<std::uint32_t>(&between_calls(cooling) - cooling.kinds.data());
  const double real = takes_s(2e-3) / takes_s(20e-3);
  double low = 1, high = 0;
  for (const CoolingRule& rule : cooling.also_possible) {
    low = std::min(low, rule.factor(kind, 2e-3, 20e-3));
    high = std::max(high, rule.factor(kind, 2e-3, 20e-3));
  }
  EXPECT_LT(low, real);
  EXPECT_GT(high, real);
}

// Small computations between calls (here a twentieth of the others' together, at most) are part of the time away.
TEST(Cooling, CountsShortComputationsAsAway) {
  Computed::Rank rank;
  rank.seconds = {1, 0.01, 2, 3};
  rank.between_s = {0.1, 0.2, 0.4};
  const auto away_s = away_before(rank, {true, false, true, true});
  ASSERT_EQ(away_s.size(), 4u);
  EXPECT_EQ(away_s[0], never_before);
  EXPECT_NEAR(away_s[2], 0.1 + 0.01 + 0.2, 1e-12);
  EXPECT_NEAR(away_s[3], 0.4, 1e-12);
}

// Rank 1 computes 1 ms and sends; rank 0 receives, and computes for what the rule gives for its wait. On the linear
// machine a message of 20000 bytes takes 0.1 + 20 ms at one rate and 0.1 + 2 ms at ten times that.
TraceBuilder receives(const LinearMachine& machine, int rounds, std::uint64_t bytes, double by = grows) {
  auto builder = TraceBuilder::spread(2);
  const double message_s = machine.one_way_s(static_cast<double>(bytes));
  builder.compute(0, warm_s);
  builder.compute(1, warm_s);
  for (int round = 0; round < rounds; ++round) {
    builder.call_ns = 1000;
    builder.send(1, 0, bytes);
    builder.call_ns = static_cast<std::int64_t>(std::llround(message_s * 1e9));
    builder.recv(0, 1, bytes);
    // both say that they are done by a message of no length, which takes the latency
    const double took_s = takes_s(message_s, by);
    builder.compute(0, took_s);
    builder.call_ns = 1000;
    builder.send(0, 1, 0);
    builder.call_ns =
        static_cast<std::int64_t>(std::llround((message_s + took_s + machine.latency_s) * 1e9)) - 1000;
    builder.recv(1, 0, 0);
  }
  return builder;
}

// Found from a wire of 100 times the rate, where waits are nearly as short as latency has them: the prediction at ten times
// the rate is the run that is made for it, and computation as recorded would be far off.
TEST(Cooling, PredictsWhatTheRuleGivesAtAnotherWait) {
  LinearMachine slow, quick, quicker;
  quick.per_byte_s = slow.per_byte_s / 10;
  quicker.per_byte_s = slow.per_byte_s / 100;
  const Trace recorded = receives(slow, 60, 20000).trace(), truth = receives(quick, 60, 20000).trace(),
              other = receives(quicker, 60, 20000).trace();
  // a second size tells how quickly it cools
  const Trace recorded_small = receives(slow, 60, 4000).trace(),
              other_small = receives(quicker, 60, 4000).trace();
  const Computed a = computed_in(recorded), b = computed_in(other), c = computed_in(recorded_small),
                 d = computed_in(other_small);
  const std::vector<RunPair> pairs{{&a, &b}, {&c, &d}};
  const auto cooling = find_cooling(pairs);
  ASSERT_TRUE(cooling) << to_string(cooling.error());
  ASSERT_TRUE(cooling->depends());
  const auto shared = std::make_shared<const Cooling>(*cooling);
  const std::vector<WhatIf> asked{WhatIf{}, *parse_what_if("bandwidth=x10")};
  const auto with = predict_all(recorded, slow.model(), asked, {.cooling = shared});
  const auto without = predict_all(recorded, slow.model(), asked);
  ASSERT_TRUE(with && without) << to_string(with.error());
  EXPECT_NEAR((*with)[0].predicted_s, (*with)[0].replayed_s, 1e-9) << "where nothing changes, as recorded";
  EXPECT_NEAR((*with)[1].predicted_s / truth.elapsed_s(), 1, 0.01);
  EXPECT_GT((*without)[1].predicted_s / truth.elapsed_s(), 1.05);
  EXPECT_LE((*with)[1].predicted_low_s, truth.elapsed_s());
  EXPECT_GE((*with)[1].predicted_high_s, truth.elapsed_s());
  EXPECT_LT((*with)[1].computation_doubt_s, (*without)[1].computation_doubt_s);
  const nlohmann::json json = to_json((*with)[1]);
  EXPECT_TRUE(json.at("computation").at("depends").get<bool>());
  EXPECT_TRUE(to_json((*without)[1]).at("computation").is_null());
}

// A fifth becomes what is left over and the 3% of clocks, in squares, as far as the waits of the other run reach, and stays a
// fifth beyond.
TEST(Cooling, DoubtShrinksToWhatIsLeftOver) {
  Simulated recorded, predicted;
  recorded.ranks.push_back({.blocked_s = 2});
  predicted.ranks.push_back({.blocked_s = 1});
  Cooling cooling;
  cooling.left_over = 0.04;
  cooling.waits_ratio = 0.25;
  EXPECT_NEAR(doubt_of_computation(recorded, predicted, cooling), 0.05 * 0.5, 1e-12);
  predicted.ranks[0].blocked_s = 0;  // the other run's waits end at 0.5
  EXPECT_NEAR(doubt_of_computation(recorded, predicted, cooling), 0.05 * 0.75 + 0.2 * 0.25, 1e-12);
  cooling.left_over = 1;
  predicted.ranks[0].blocked_s = 1;
  EXPECT_NEAR(doubt_of_computation(recorded, predicted, cooling), 0.2 * 0.5, 1e-12)
      << "never more than without";
}

TEST(Cooling, RunsOfOtherProgramsAreRefusedWhereTheyPart) {
  const auto took = [](std::size_t, double) { return warm_s; };
  const Computed one = run_of({1e-3, 1e-3, 1e-3}, took), shorter = run_of({1e-3, 1e-3}, took, "b.ww");
  Computed other = one;
  other.of = "c.ww";
  other.names.push_back("MPI_Wait");
  other.ranks[0].calls[1] = 1;
  EXPECT_TRUE(made_the_same_calls(one, one));
  const auto parts = made_the_same_calls(one, other), ends = made_the_same_calls(one, shorter);
  ASSERT_FALSE(parts);
  ASSERT_FALSE(ends);
  EXPECT_EQ(parts.error().where, "rank 0's call 2 is MPI_Recv in a.ww and MPI_Wait in c.ww");
  EXPECT_EQ(ends.error().where, "rank 0 made 3 calls in a.ww and 2 in b.ww, the first 2 alike");
  Computed more = one;
  more.ranks.push_back({});
  EXPECT_FALSE(made_the_same_calls(one, more));
}

// A dilated run's stretch is time away and no computation: 2 ms at D = 4 last 8, of which 6 are away.
TEST(Cooling, TakesTheStretchOutOfADilatedRun) {
  auto builder = TraceBuilder::spread(2);
  builder.call_ns = 1'000'000;
  builder.compute(0, 8e-3);
  builder.send(0, 1, 10);
  builder.compute(0, 4e-3);
  builder.recv(1, 0, 10);
  builder.trace().dilation = 4;
  const Computed computed = computed_in(builder.trace());
  const Computed::Rank& rank = computed.ranks[0];
  ASSERT_EQ(rank.seconds.size(), 2u);
  EXPECT_NEAR(rank.seconds[0], 2e-3, 1e-12);
  EXPECT_NEAR(rank.between_s[0], 6e-3 + 1e-3, 1e-12);
  EXPECT_NEAR(rank.seconds[1], 1e-3, 1e-12);
}

}  // namespace
}  // namespace ww::simulate

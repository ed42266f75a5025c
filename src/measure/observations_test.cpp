// Observations and the closed loop of machines whose numbers are known.
#include <gtest/gtest.h>

#include <cmath>

#include "measure/fit.hpp"

namespace ww::measure {
namespace {

using nlohmann::json;
using Values = std::vector<double>;

bool says(const std::vector<std::string>& flags, const std::string& text) {
  return std::any_of(flags.begin(), flags.end(),
                     [&](const std::string& flag) { return flag.find(text) != std::string::npos; });
}

Samples of(std::vector<json> records) {
  Samples samples;
  samples.complete = true;
  samples.records = std::move(records);
  return samples;
}

// LogGP with o_s 3, o_r 4, L 20, g 10 us: PRTT(1, 0) = 2 (3 + 20 + 4) = 54; ten messages end 9 g later; with
// d = PRTT(1, 0) in between, 9 (o_s + d) later (Hoefler, Lichei, Rehm 2007, equations 1 to 4).
TEST(Observations, ParametrisedRoundTripsGiveLogGPBack) {
  std::vector<std::string> flags;
  const auto found = fit_observations(of({{{"kind", "parametrised"},
                                           {"between", "inter"},
                                           {"bytes", 8},
                                           {"train", 10},
                                           {"one_s", Values(9, 54e-6)},
                                           {"train_s", Values(9, 144e-6)},
                                           {"delayed_s", Values(9, 54e-6 + 9 * 57e-6)},
                                           {"delay_s", Values(9, 54e-6)},
                                           {"receive_s", Values(9, 4e-6)}}}),
                                      {}, flags)["loggp"][0];
  EXPECT_NEAR(found["g_s"].get<double>(), 10e-6, 1e-12);
  EXPECT_NEAR(found["o_send_s"].get<double>(), 3e-6, 1e-12);
  EXPECT_NEAR(found["o_receive_s"].get<double>(), 4e-6, 1e-12);
  EXPECT_NEAR(found["latency_s"].get<double>(), 20e-6, 1e-12);
  EXPECT_TRUE(flags.empty());
}

// A transfer of 100 us beside a computation of 100 us: together 200 hide nothing, 100 all, 150 half of it,
// 220 less than nothing.
TEST(Observations, OverlapIsNotForcedBetweenNoneAndAll) {
  for (const auto& [both_s, hidden] :
       {std::pair{200e-6, 0.0}, {100e-6, 1.0}, {150e-6, 0.5}, {220e-6, -0.2}}) {
    std::vector<std::string> flags;
    const auto found = fit_observations(of({{{"kind", "overlap"},
                                             {"between", "inter"},
                                             {"bytes", 8},
                                             {"transfer_s", Values(7, 100e-6)},
                                             {"computation_s", Values(7, 100e-6)},
                                             {"both_s", Values(7, both_s)}}}),
                                        {}, flags);
    EXPECT_NEAR(found["overlap"][0]["overlapped"].get<double>(), hidden, 1e-9);
  }
}

// Two neighbours, a message from each every 100 us, 10 us of the node's calls each: 20% of its time.
TEST(Observations, InterferenceIsPredictedBySoftwareAlone) {
  MachineModel model;
  model.costs.F.segments = {{0, 4000, 4e-6, 0, {}, {}}};
  model.costs.U.segments = {{0, 4000, 6e-6, 0, {}, {}}};
  std::vector<std::string> flags;
  const auto found = fit_observations(of({{{"kind", "interference"},
                                           {"neighbours", 2},
                                           {"bytes", 2000},
                                           {"alone_s", Values(5, 1e-3)},
                                           {"with_s", Values(5, 1.5e-3)},
                                           {"message_s", Values(5, 100e-6)}}}),
                                      model, flags)["interference"][0];
  EXPECT_NEAR(found["slowdown"].get<double>(), 1.5, 1e-9);
  EXPECT_NEAR(found["predicted_slowdown"].get<double>(), 1 / (1 - 0.2), 1e-9);
}

TEST(Observations, PairsThatWereNotReachedAreEmptyAndSaid) {
  std::vector<std::string> flags;
  const auto found = fit_observations(of({{{"kind", "matrix"},
                                           {"ranks", 3},
                                           {"hosts", {"a", "b", "b"}},
                                           {"small_bytes", 8},
                                           {"large_bytes", 1000},
                                           {"latency_s", {0, 1e-6, 0, 1e-6, 0, 2e-6, 0, 2e-6, 0}},
                                           {"stream_s", {0, 1e-3, 0, 2e-3, 0, 1e-3, 0, 1e-3, 0}}}}),
                                      {}, flags)["matrix"];
  EXPECT_TRUE(found["latency_s"][0][2].is_null());
  EXPECT_DOUBLE_EQ(found["bytes_per_s"][1][0].get<double>(), 500e3);
  EXPECT_TRUE(says(flags, "1 of 3 were not reached"));
}

TEST(Observations, ClocksThatStepBackOrAreSlowAreSaid) {
  std::vector<std::string> flags;
  fit_observations(of({{{"kind", "host"},
                        {"host", "a"},
                        {"clock_hz", 1e9},
                        {"timer", {{"call_s", 1e-6}, {"resolution_s", 1e-6}, {"backward_steps", 2}}}}}),
                   {}, flags);
  EXPECT_TRUE(says(flags, "stepped backward 2 times"));
  EXPECT_TRUE(says(flags, "reading the clock takes 1000 ns"));
}

TEST(Collectives, LateRunsAndSizesWithoutARunAreSaid) {
  std::vector<std::string> flags;
  const json one = {{"kind", "collective"}, {"name", "bcast"}, {"ranks", 2},
                    {"bytes", 8},           {"late", 20},      {"seconds", Values(60, 1e-6)}};
  const auto found = fit_collectives(
      of({one, {{"kind", "collective-late"}, {"name", "scan"}, {"ranks", 2}, {"bytes", 8}, {"late", 9}}}),
      flags);
  EXPECT_EQ(found["bcast"][0]["samples"], 60);
  EXPECT_FALSE(found.contains("scan"));
  EXPECT_TRUE(says(flags, "25% of the runs"));
  EXPECT_TRUE(says(flags, "of 1 sizes no run started in time"));
}

// One-way time 50 us + n ns, F 5 us, U 5 us, no wire: a simulation of the ping-pong gives it back exactly,
// and ten messages of n bytes and their answer, which leave 5 us after each other, are on their way for two
// one-way times and nine sends.
TEST(ClosedLoop, GivesBackAMachineThatIsAsTheModelSays) {
  const auto one_way_s = [](double n) { return 50e-6 + n * 1e-9; };
  MachineModel model;
  Link link;
  link.between = Place::intra;
  link.latency_s = one_way_s(1);
  link.one_way.segments = {{0, 1e6, 50e-6, 1e-9, {}, {}}};
  model.links = {link};
  model.costs.F.segments = {{0, 1e6, 5e-6, 0, {}, {}}};
  model.costs.U.segments = {{0, 1e6, 5e-6, 0, {}, {}}};
  std::vector<json> records;
  for (const double n : {1.0, 1000.0, 100000.0})
    records.push_back({{"kind", "pingpong"},
                       {"between", "intra"},
                       {"bytes", n},
                       {"check", n == 1000},
                       {"one_way_s", Values(9, one_way_s(n))}});
  records.push_back({{"kind", "parametrised"},
                     {"between", "intra"},
                     {"bytes", 1000},
                     {"train", 10},
                     {"one_s", Values(9, 1.0)},
                     {"train_s", Values(9, 2 * one_way_s(1000) + 9 * 5e-6)},
                     {"delayed_s", Values(9, 1.0)},
                     {"delay_s", Values(9, 1.0)},
                     {"receive_s", Values(9, 1.0)}});
  std::vector<std::string> flags;
  const auto loop = close_loop(of(records), model, flags);
  ASSERT_EQ(loop.size(), 4u);
  for (const json& one : loop) EXPECT_NEAR(one["relative"].get<double>(), 0, 1e-6) << one.dump();
  // the same against a machine that is twice as slow is said
  records.front()["one_way_s"] = Values(9, 2 * one_way_s(1));
  records.resize(1);
  EXPECT_NEAR(close_loop(of(records), model, flags)[0]["relative"].get<double>(), -0.5, 1e-6);
  EXPECT_TRUE(says(flags, "closed loop: ping-pong simulated on this model are 50% off"));
}

}  // namespace
}  // namespace ww::measure

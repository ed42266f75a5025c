#include "measure/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "library/mpich.hpp"
#include "library/open_mpi.hpp"
#include "machine/what_if.hpp"

namespace ww::measure {
namespace {

constexpr double threshold = 65480, rest_s = 30e-6, handshake_s = 60e-6;

// The truth of the synthetic machine: Ethernet through a switch, rendezvous above 65480 bytes.
Wire truth(double seconds_per_byte) {
  Wire wire;
  wire.seconds_per_byte = seconds_per_byte;
  wire.stages = 2;
  wire.frame_payload_bytes = 1448;
  wire.frame_overhead_bytes = 90;
  wire.message_overhead_bytes = 22;
  wire.handshake_frames = 2;
  wire.handshake_frame_bytes = 159;
  wire.acknowledgement_frame_bytes = 90;
  return wire;
}

double one_way_s(const Wire& wire, double n) {
  return rest_s + wire.serialisation_s(n, n > threshold) + (n > threshold ? handshake_s : 0);
}

// What the experiments would leave on that machine: skewed noise of some microseconds on top of every time.
Samples synthetic(const Wire& wire, unsigned seed) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> late(1 / 2e-6);
  Samples samples;
  samples.complete = true;
  samples.records.push_back({{"kind", "host"}, {"rank", 0}, {"host", "a"}, {"clock_hz", 2e9}});
  const auto ping_pong = [&](double n, bool check) {
    std::vector<double> times;
    for (int i = 0; i < 40; ++i) times.push_back(one_way_s(wire, n) + late(random));
    samples.records.push_back(
        {{"kind", "pingpong"}, {"between", "inter"}, {"bytes", n}, {"check", check}, {"one_way_s", times}});
  };
  for (double n = 1; n <= 1048576; n *= 2) {
    ping_pong(n, false);
    if (n >= 64) ping_pong(n * 1.5, false);
  }
  ping_pong(threshold, false);
  ping_pong(threshold + 1, false);
  for (const double n : {45.0, 700.0, 5000.0, 100000.0}) ping_pong(n, true);
  samples.records.push_back({{"kind", "eager-threshold"},
                             {"between", "inter"},
                             {"low_bytes", threshold},
                             {"high_bytes", threshold + 1},
                             {"threshold_bytes", threshold}});
  samples.records.push_back(
      {{"kind", "sender-progress"},
       {"between", "inter"},
       {"bytes", 2 * threshold},
       {"away_s", 0.1},
       {"received_s", {0.11, 0.11, 0.01, 0.11, 0.11}}});  // one where the kernel interfered
  for (const double n : {1.0, 1000.0, 3000.0, 6000.0, threshold + 1}) {
    // headers as counters see them: 66 bytes a frame; a rendezvous says 74 and 64 bytes more
    const bool rendezvous = n > threshold;
    const double frames = wire.frames(n) + (rendezvous ? 1 : 0);
    const double acknowledgements = std::floor(wire.frames(n) / 2);
    samples.records.push_back(
        {{"kind", "wire-bytes"},
         {"between", "inter"},
         {"bytes", n},
         {"messages", 10},
         {"mtu_bytes", 1500},
         {"sent_bytes", 10 * (n + 22 + 66 * frames + (rendezvous ? 74 : 0))},
         {"sent_frames", 10 * frames},
         {"received_bytes", 10 * (89 + 66 * acknowledgements + (rendezvous ? 66 + 64 : 0))},
         {"received_frames", 10 * (1 + acknowledgements + (rendezvous ? 1 : 0))}});
  }
  for (const double n : {1.0, 64.0, 1024.0, 8192.0, 32768.0, 65480.0})
    for (const char* term : {"F", "A+U"}) {
      std::vector<double> times;
      for (int i = 0; i < 20; ++i) times.push_back(5e-6 + 1e-9 * n + 0.1 * late(random));
      samples.records.push_back(
          {{"kind", "cost"}, {"between", "inter"}, {"term", term}, {"bytes", n}, {"seconds", times}});
    }
  // two directions at 60% each: an exchange takes 1 / 0.6 of one way alone
  for (const double n : {131072.0, 524288.0})
    samples.records.push_back({{"kind", "two-way"},
                               {"between", "inter"},
                               {"bytes", n},
                               {"exchange_s", std::vector<double>(10, one_way_s(wire, n) / 0.6)}});
  // eager ones hardly hinder each other: 90%
  for (const double n : {8192.0, 32768.0})
    samples.records.push_back({{"kind", "two-way"},
                               {"between", "inter"},
                               {"bytes", n},
                               {"exchange_s", std::vector<double>(10, one_way_s(wire, n) / 0.9)}});
  return samples;
}

// A search for the eager threshold that ran out of time knows what went at once and what did not: near each other, that is the
// threshold; far apart, nothing is taken for it.
TEST(FitModel, AnEagerThresholdThatIsNearlyKnownIsTaken) {
  auto samples = synthetic(truth(0.8e-6), 1);
  for (auto& record : samples.records)
    if (record["kind"] == "eager-threshold") {
      record["threshold_bytes"] = nullptr;
      record["high_bytes"] = threshold + 2;
    }
  const auto near = fit_model(samples, "x.samples.json");
  ASSERT_TRUE(near);
  EXPECT_EQ(near->links.at(0).eager_threshold_bytes, threshold);
  for (auto& record : samples.records)
    if (record["kind"] == "eager-threshold") record["high_bytes"] = 2 * threshold;
  const auto far = fit_model(samples, "x.samples.json");
  ASSERT_TRUE(far);
  EXPECT_FALSE(far->links.at(0).eager_threshold_bytes);
}

// Exchanges of 256 KiB that run at full rate in both directions or one after the other, as chance has it: the wire's efficiency is
// that of the quick ones (the simulation takes turns by its own rules), and both times are said.
TEST(FitModel, TwoSpeedsOfAnExchangeAreToldApart) {
  auto samples = synthetic(truth(0.8e-6), 1);
  const double alone_s = one_way_s(truth(0.8e-6), 262144);
  std::vector<double> seconds;
  for (int i = 0; i < 20; ++i) seconds.push_back((i % 2 == 0 ? 1.02 : 2.0) * alone_s);
  samples.records.push_back(
      {{"kind", "two-way"}, {"between", "inter"}, {"bytes", 262144.0}, {"exchange_s", seconds}});
  const auto model = fit_model(samples, "x.samples.json");
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->links.at(0).two_way_efficiency(262144), 1 / 1.02, 0.01);
  EXPECT_TRUE(std::any_of(model->flags.begin(), model->flags.end(),
                          [](const std::string& flag) { return flag.find("two speeds") != flag.npos; }));
}

TEST(FitModel, FindsTheWireOfASyntheticMachine) {
  const auto model = fit_model(synthetic(truth(0.8e-6), 1), "x.samples.json");
  ASSERT_TRUE(model) << to_string(model.error());
  const Link& link = model->links.at(0);
  ASSERT_TRUE(link.wire);
  EXPECT_NEAR(link.wire->seconds_per_byte / 0.8e-6, 1, 0.001);
  EXPECT_LE(link.wire->seconds_per_byte_ci.low, 0.8e-6 * 1.0005);
  EXPECT_EQ(link.wire->stages, 2);
  EXPECT_EQ(link.wire->frame_payload_bytes, 1448);
  EXPECT_EQ(link.wire->frame_overhead_bytes, 90);
  EXPECT_EQ(link.wire->message_overhead_bytes, 22);
  EXPECT_EQ(link.wire->handshake_frames, 2);
  EXPECT_EQ(link.wire->handshake_frame_bytes, 159);
  EXPECT_NEAR(link.wire->acknowledgement_frame_bytes, 90, 5);  // read from times with noise
  EXPECT_NEAR(link.wire->two_way_efficiency, 0.6, 0.01);
  EXPECT_NEAR(link.wire->two_way_efficiency_eager.value_or(0), 0.9, 0.01);
  // By size: what the port takes longer, of its own time.
  ASSERT_EQ(link.wire->two_way.size(), 4u);
  for (const TwoWay& point : link.wire->two_way) {
    const double alone_s = one_way_s(truth(0.8e-6), point.bytes),
                 port_s = link.wire->port_busy_s(point.bytes);
    const double exchange_s = alone_s / (point.bytes > threshold ? 0.6 : 0.9);
    EXPECT_NEAR(point.efficiency, port_s / (exchange_s - alone_s + port_s), 0.02) << point.bytes;
  }
  EXPECT_EQ(*link.eager_threshold_bytes, threshold);
  EXPECT_TRUE(link.rendezvous_needs_sender);
  EXPECT_LT(link.pingpong_fit_error.mean, 0.01);
  EXPECT_LT(to_json(*model)["environment"]["check"]["inter"]["mean"].get<double>(), 0.01);
  EXPECT_NEAR(model->alpha_cycles, one_way_s(truth(0.8e-6), 1) * 2e9, 0.02 * model->alpha_cycles);
  EXPECT_NEAR(model->costs.F.at(1024), 5e-6 + 1.024e-6, 0.5e-6);
  EXPECT_NEAR(model->costs.U.at(1024), 5e-6 + 1.024e-6, 0.5e-6);
  EXPECT_EQ(model->samples, "x.samples.json");
  const auto again = model_from_json(to_json(*model));
  EXPECT_TRUE(again) << to_string(again.error());
}

// The claim that all predictions rest on: measured at one rate, computed for another, compared with the truth
// there.
TEST(FitModel, AModelOfOneRateGivesTheTimesOfAnother) {
  for (const double factor : {10.0, 0.1}) {
    const auto model = fit_model(synthetic(truth(0.8e-6 / (factor < 1 ? 10 : 1)), 2), "");
    ASSERT_TRUE(model);
    WhatIf what_if;
    what_if.bandwidth = factor;
    const Link other = apply(*model, what_if).links[0];
    const Wire wire = truth(factor < 1 ? 0.8e-6 : 0.08e-6);
    for (double n = 1; n <= 1048576; n = std::floor(n * 1.7) + 1)
      EXPECT_NEAR(other.one_way.at(n) / (one_way_s(wire, n) + 1.4e-6), 1, 0.03) << n << " at x" << factor;
  }
}

// By base/disturbance.hpp: more than a tenth of its time without a core is said, in a lab more than three.
TEST(FitModel, ARankThatOthersKeptFromItsCoreIsSaid) {
  const auto flagged = [](double kept, int switches, bool lab) {
    Samples samples = synthetic(truth(0.8e-6), 3);
    samples.records.push_back({{"kind", "disturbance"},
                               {"between", "inter"},
                               {"involuntary_switches", switches},
                               {"elapsed_s", 2.0},
                               {"kept_from_core", kept}});
    if (lab) samples.environment["lab"] = {{"name", "default"}};
    const auto model = fit_model(samples, "");
    EXPECT_TRUE(model);
    return std::any_of(model->flags.begin(), model->flags.end(),
                       [](const std::string& flag) { return flag.find("measure again") != flag.npos; });
  };
  EXPECT_TRUE(flagged(0.2, 500, false));
  EXPECT_FALSE(flagged(0.08, 500, false));
  EXPECT_FALSE(flagged(0.2, 500, true));
  EXPECT_TRUE(flagged(-1, 500, false)) << "250 switches a second, and no better figure";
  EXPECT_FALSE(flagged(-1, 20, false));
}

TEST(FitModel, WithoutCountersThereIsNoWire) {
  Samples samples = synthetic(truth(0.8e-6), 3);
  std::erase_if(samples.records, [](const auto& record) { return record["kind"] == "wire-bytes"; });
  const auto model = fit_model(samples, "");
  ASSERT_TRUE(model);
  EXPECT_FALSE(model->links[0].wire);
  EXPECT_LT(model->links[0].pingpong_fit_error.mean, 0.05);
  bool said = false;
  for (const std::string& flag : model->flags)
    said = said || flag.find("no interface counted") != std::string::npos;
  EXPECT_TRUE(said);
}

// A wire whose long messages are slower than its short ones say (software, or a token bucket): the slope of
// the short ones is what a faster wire would shrink, and that is said.
TEST(FitModel, LongMessagesLimitedBySoftware) {
  Samples samples = synthetic(truth(1e-9), 4);
  for (auto& record : samples.records)
    if (record["kind"] == "pingpong" && record["bytes"] > 1426)
      for (auto& time : record["one_way_s"])
        time = time.get<double>() + 30e-9 * record["bytes"].get<double>();
  for (auto& record : samples.records)
    if (record["kind"] == "pingpong" && record["bytes"] <= 1426)
      record["one_way_s"] = std::vector<double>(10, 30e-6 + 1e-9 * record["bytes"].get<double>());
  const auto model = fit_model(samples, "");
  ASSERT_TRUE(model);
  ASSERT_TRUE(model->links[0].wire);
  EXPECT_NEAR(model->links[0].wire->seconds_per_byte, 1e-9, 1e-10);
  bool said = false;
  for (const std::string& flag : model->flags)
    said = said || flag.find("limited by software") != std::string::npos;
  EXPECT_TRUE(said);
}

// By hand: 5.096 us at 4096 bytes, 7.0485 us one byte above. Below 6719 bytes a byte costs more than the
// 1.2441 ns that it costs at 4096: 5 us / (1.2441 - 0.5) ns.
TEST(Switches, TellHowMuchAndHowFarToAvoid) {
  Link link;
  link.eager_threshold_bytes = 4096;
  link.one_way.segments = {{1, 4096, 1e-6, 1e-9, {}, {}}, {4096, 1e6, 5e-6, 0.5e-9, {}, {}}};
  const auto measured = [&](double bytes, double spread_s) {
    SizePoint point;
    point.bytes = bytes;
    point.median_s = link.one_way.at(bytes);
    point.range_s = {point.median_s - spread_s / 2, point.median_s + spread_s / 2};
    return point;
  };
  std::vector<SizePoint> points;
  for (const double bytes : {1.0, 2048.0, 4096.0, 4097.0, 65536.0, 1e6})
    points.push_back(measured(bytes, 1e-7));
  auto found = find_switches(link, points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].bytes, 4096);
  EXPECT_EQ(found[0].low_bytes, 4096);
  EXPECT_EQ(found[0].high_bytes, 4097);
  EXPECT_NEAR(found[0].jump_s, 1.9525e-6, 1e-10);
  EXPECT_NEAR(found[0].relative, 0.3831, 1e-4);
  EXPECT_EQ(found[0].avoid_up_to_bytes, 6719);
  EXPECT_NE(found[0].cause.find("rendezvous"), std::string::npos);
  // Another cause where the threshold is elsewhere; between measured sizes it is known that well only.
  link.eager_threshold_bytes = 65536;
  std::erase_if(points, [](const SizePoint& point) { return point.bytes == 4096 || point.bytes == 4097; });
  found = find_switches(link, points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].low_bytes, 2048);
  EXPECT_EQ(found[0].high_bytes, 65536);
  EXPECT_EQ(found[0].cause.find("rendezvous"), std::string::npos);
  // Sizes that vary by more than the jump prove none.
  for (SizePoint& point : points) point = measured(point.bytes, 3e-6);
  EXPECT_TRUE(find_switches(link, points).empty());
}

TEST(FitModel, TooFewSizesAreAnError) {
  Samples samples;
  samples.records.push_back(
      {{"kind", "pingpong"}, {"between", "intra"}, {"bytes", 1}, {"check", false}, {"one_way_s", {1e-6}}});
  const auto model = fit_model(samples, "x");
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().remedy.find("--budget"), std::string::npos);
}

nlohmann::json ping_pong_of(int launch, double bytes, const std::vector<double>& seconds) {
  return {{"kind", "pingpong"},
          {"between", "intra"},
          {"launch", launch},
          {"bytes", bytes},
          {"one_way_s", seconds}};
}

// Five launches whose samples hardly vary but whose medians are 10, 11, 12, 13, 14 us: mean 12, deviation
// sqrt(2.5), so half of Student's interval is 2.776 sqrt(2.5 / 5) = 1.963 us.
TEST(PingPongPoints, IntervalHoldsHowLaunchesDiffer) {
  Samples samples;
  for (int launch = 0; launch < 5; ++launch)
    samples.records.push_back(ping_pong_of(launch, 8, std::vector<double>(50, (10 + launch) * 1e-6)));
  const auto points = ping_pong_points(samples, "intra", false);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].seconds.size(), 250u);
  EXPECT_NEAR(points[0].median_s, 12e-6, 1e-12);
  EXPECT_NEAR(points[0].range_s.high - points[0].median_s, 1.963e-6, 1e-9);
  EXPECT_NEAR(launch_effects_s(points[0])[4], 2e-6, 1e-12);
}

// The same, of a line over sizes: all sizes of a launch move together, so no segment's base is surer than
// that.
TEST(FitModel, BaseIntervalHoldsHowLaunchesDiffer) {
  Samples samples;
  samples.complete = true;
  samples.records.push_back({{"kind", "host"}, {"rank", 0}, {"host", "a"}, {"clock_hz", 2e9}});
  for (int launch = 0; launch < 5; ++launch)
    for (double n = 1; n <= 65536; n *= 2)
      samples.records.push_back(
          ping_pong_of(launch, n, std::vector<double>(20, (10 + launch) * 1e-6 + n * 1e-9)));
  const auto model = fit_model(samples, "x");
  ASSERT_TRUE(model) << to_string(model.error());
  const Segment& segment = model->links.at(0).one_way.segments.at(0);
  EXPECT_NEAR(segment.base_s, 12e-6, 1e-8);
  EXPECT_LT(segment.base_ci_s.low, 12e-6 - 1.5e-6);
  EXPECT_GT(segment.base_ci_s.high, 12e-6 + 1.5e-6);
  EXPECT_NEAR(segment.seconds_per_byte, 1e-9, 1e-12);
}

// How often a handshake crosses is the library's that was measured, as its host record says.
TEST(FitModel, HandshakesAreThoseOfTheLibraryThatWasMeasured) {
  const auto crossings = [](const nlohmann::json& mpi) {
    Samples samples;
    samples.complete = true;
    samples.records.push_back(
        {{"kind", "host"}, {"rank", 0}, {"host", "a"}, {"clock_hz", 2e9}, {"mpi", mpi}});
    for (double n = 1; n <= 65536; n *= 2)
      samples.records.push_back(ping_pong_of(0, n, std::vector<double>(20, 10e-6 + n * 1e-9)));
    const auto model = fit_model(samples, "x");
    EXPECT_TRUE(model);
    return model ? model->links.at(0).handshake_crossings : 0;
  };
  EXPECT_EQ(crossings("MPICH Version:\t4.0.2"), library::mpich.handshake_crossings);
  EXPECT_EQ(crossings("Open MPI v4.1.4"), library::open_mpi.handshake_crossings);
  EXPECT_NE(library::mpich.handshake_crossings, library::open_mpi.handshake_crossings);
  EXPECT_EQ(crossings(7), 2) << "not told";
}

// All of 1 MB was taken where its call took a hundredth of its way (the outlier aside); of 4 MB what had left when the call returned, three
// quarters, was not ahead. What says most counts.
TEST(FitModel, HowMuchOfLargeSendsIsTakenAheadOfTheWire) {
  const auto ahead = [](const std::vector<nlohmann::json>& records) {
    Samples samples;
    samples.complete = true;
    for (double n = 1; n <= 65536; n *= 2)
      samples.records.push_back(ping_pong_of(0, n, std::vector<double>(20, 10e-6 + n * 1e-9)));
    for (const nlohmann::json& record : records) samples.records.push_back(record);
    const auto model = fit_model(samples, "x");
    EXPECT_TRUE(model);
    return model ? model->links.at(0).sent_ahead_bytes : std::nullopt;
  };
  const nlohmann::json all = {{"kind", "sent-ahead"},
                              {"between", "intra"},
                              {"bytes", 1e6},
                              {"send_s", {0.001, 0.001, 0.09}},
                              {"there_s", {0.1, 0.1, 0.1}}};
  nlohmann::json part = all;
  part["bytes"] = 4e6;
  part["send_s"] = {0.3};
  part["there_s"] = {0.4};
  EXPECT_EQ(ahead({}), std::nullopt);
  EXPECT_EQ(ahead({all}), 1e6);
  ASSERT_TRUE(ahead({part}));
  EXPECT_NEAR(*ahead({part}), 1e6, 1);
  part["send_s"] = {0.2};
  EXPECT_NEAR(ahead({all, part}).value_or(0), 2e6, 1);
}

// A step that lies between two sizes of the ping-pong: 3 us more from 5000 to 6200 bytes only, which no
// doubling of sizes meets.
TEST(FitModel, TheFineSweepShowsWhatDoublingMisses) {
  const auto time_s = [](double n) { return 10e-6 + n * 1e-9 + (n >= 5000 && n <= 6200 ? 3e-6 : 0); };
  Samples samples;
  samples.complete = true;
  samples.records.push_back({{"kind", "host"}, {"rank", 0}, {"host", "a"}, {"clock_hz", 2e9}});
  for (double n = 1; n <= 65536; n *= 2)
    samples.records.push_back(ping_pong_of(0, n, std::vector<double>(20, time_s(n))));
  const auto without = fit_model(samples, "x");
  for (double n = 64; n <= 16384; n += 64)
    samples.records.push_back({{"kind", "sweep"},
                               {"between", "intra"},
                               {"bytes", n},
                               {"one_way_s", std::vector<double>(5, time_s(n))}});
  const auto with = fit_model(samples, "x");
  ASSERT_TRUE(without && with);
  EXPECT_NEAR(without->links[0].one_way.at(5600) / time_s(5600), 0.84, 0.01);
  EXPECT_NEAR(with->links[0].one_way.at(5600) / time_s(5600), 1, 0.02);
  EXPECT_NEAR(with->links[0].one_way.at(3000) / time_s(3000), 1, 0.02);
  EXPECT_EQ(with->links[0].switches.size(), 2u);
}

// Sizes one byte and one part in a thousand above the threshold, 200 us longer and noisy, tell no slope: 1
// MiB is taken to cost 1 ns a byte as everything below, not what a line through the two would say.
TEST(FitModel, SizesJustAboveTheThresholdTellNoSlope) {
  Samples samples;
  samples.complete = true;
  samples.records.push_back({{"kind", "host"}, {"rank", 0}, {"host", "a"}, {"clock_hz", 2e9}});
  samples.records.push_back({{"kind", "eager-threshold"},
                             {"between", "intra"},
                             {"low_bytes", 65480},
                             {"high_bytes", 65481},
                             {"threshold_bytes", 65480}});
  for (double n = 1; n <= 32768; n *= 2)
    samples.records.push_back(ping_pong_of(0, n, std::vector<double>(20, 10e-6 + n * 1e-9)));
  samples.records.push_back(ping_pong_of(0, 65481, std::vector<double>(20, 275e-6)));
  samples.records.push_back(ping_pong_of(0, 65536, std::vector<double>(20, 290e-6)));
  const auto model = fit_model(samples, "x");
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_NEAR(model->links[0].one_way.at(1 << 20), 10e-6 + (1 << 20) * 1e-9, 20e-6);
  EXPECT_NE(
      std::find_if(model->flags.begin(), model->flags.end(),
                   [](const std::string& flag) { return flag.find("2 sizes next to it") != flag.npos; }),
      model->flags.end());
}

// What the synthetic reduction takes, 60 ns and 0.08 ns a byte up to 64 KiB and three times as much a byte
// beyond, with noise of 1%; and without records nothing.
TEST(Fit, TheArithmeticOfReductions) {
  Samples samples;
  EXPECT_TRUE(fit_reduction(samples, "inter").empty());
  std::mt19937 random(3);
  std::normal_distribution<double> noise(1, 0.01);
  const auto takes_s = [](double n) { return 60e-9 + 0.08e-9 * n + 0.16e-9 * std::max(0.0, n - 65536); };
  for (double n = 8; n <= 4194304; n *= 4) {
    std::vector<double> seconds;
    for (int i = 0; i < 20; ++i) seconds.push_back(takes_s(n) * noise(random));
    samples.records.push_back(
        {{"kind", "reduction"}, {"between", "inter"}, {"bytes", n}, {"seconds", seconds}});
  }
  const Curve curve = fit_reduction(samples, "inter");
  ASSERT_FALSE(curve.empty());
  for (double n = 8; n <= 4194304; n *= 4) EXPECT_NEAR(curve.at(n) / takes_s(n), 1, 0.1) << n;
  EXPECT_TRUE(fit_reduction(samples, "intra").empty());
}

}  // namespace
}  // namespace ww::measure

// Expected values: arithmetic on the standard's bit times, the exact Markov chain of two stations
// (csma_theory.hpp), and published results named at each test. bench/ethernet prints the whole comparison.
#include "ether/csma_bus.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ether/csma_saturated.hpp"
#include "ether/csma_theory.hpp"

namespace ww::ether {
namespace {

constexpr std::int64_t us = 1'000'000;  // picoseconds

std::vector<BusStation> together(int stations, std::int64_t stub_ps = 0) {
  return std::vector<BusStation>(static_cast<std::size_t>(stations), BusStation{0, stub_ps});
}

SaturatedStations saturated(int stations, std::uint32_t bytes, std::uint64_t seed = 1,
                            const BusRules& rules = {}) {
  return SaturatedStations(rules, together(stations, us / 2), seed, [bytes] { return bytes; });
}

struct Sink : BusUser {
  struct End {
    BusFrame frame;
    std::int64_t end_ps, arrives_ps;
  };
  std::vector<End> ends;
  std::vector<std::uint64_t> lost;
  void sent(const BusFrame& frame, std::int64_t now_ps, std::int64_t arrives_ps) override {
    ends.push_back({frame, now_ps, arrives_ps});
  }
  void dropped(const BusFrame& frame, std::int64_t) override { lost.push_back(frame.id); }
};

// A frame of 1000 bytes: (8 + 1000) * 8 bits of 0.1 us; the next one 96 bits later. A short one is padded
// to 64.
TEST(CsmaBus, AloneAFrameTakesItsBitsAndTheNextComesAGapLater) {
  Sink sink;
  CsmaBus bus({}, {{0, 0}, {3 * us, us}}, 1, sink);
  bus.put({.id = 1, .source = 0, .destination = 1, .bytes = 1000}, 0);
  bus.put({.id = 2, .source = 0, .destination = 1, .bytes = 10}, 0);
  bus.advance(CsmaBus::nothing);
  ASSERT_EQ(sink.ends.size(), 2u);
  EXPECT_EQ(sink.ends[0].end_ps, 806'400'000);
  EXPECT_EQ(sink.ends[0].arrives_ps, 806'400'000 + 4 * us);
  EXPECT_EQ(sink.ends[1].end_ps, 806'400'000 + 9'600'000 + (64 + 64 * 8) * 100'000);
  EXPECT_EQ(bus.counts().collisions, 0u);
}

// A station that hears a frame waits until it has gone by and a gap more: 64 bytes sent at 0 have passed the
// other, 2 us away, at 59.6 us; it sends at 69.2 us, whenever in between it wanted to.
TEST(CsmaBus, AStationDefersToWhatItHears) {
  for (const std::int64_t wants_ps : {2 * us, 10 * us, 59 * us, 60 * us, 69 * us}) {
    Sink sink;
    CsmaBus bus({}, {{0, 0}, {2 * us, 0}}, 1, sink);
    bus.put({.id = 1, .source = 0, .destination = 1, .bytes = 64}, 0);
    bus.advance(wants_ps);
    bus.put({.id = 2, .source = 1, .destination = 0, .bytes = 64}, wants_ps);
    bus.advance(CsmaBus::nothing);
    ASSERT_EQ(sink.ends.size(), 2u);
    EXPECT_EQ(sink.ends[1].end_ps, 69'200'000 + 57'600'000) << wants_ps;
    EXPECT_EQ(bus.counts().deferred, wants_ps < 59'600'000 ? 1u : 0u) << wants_ps;
    EXPECT_EQ(bus.counts().collisions, 0u);
  }
}

// Two stations 2 us apart that begin together: both jam until 96 bits = 9.6 us; who draws 0 hears the other
// until 11.6 us and sends a gap later, at 21.2 us; who draws r > 0 sends r slots after its jam. So the first
// frame that gets through begins at one of these times.
TEST(CsmaBus, AfterACollisionStationsSendAtWholeSlotsFromTheirJam) {
  int begun_at_once = 0;
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    Sink sink;
    CsmaBus bus({}, {{0, 0}, {2 * us, 0}}, seed, sink);
    for (const std::uint32_t station : {0u, 1u})
      bus.put({.id = station, .source = station, .destination = 1 - station, .bytes = 64}, 0);
    bus.advance(CsmaBus::nothing);
    ASSERT_EQ(sink.ends.size(), 2u);
    EXPECT_GE(bus.counts().collisions, 1u);
    EXPECT_EQ(bus.counts().collided_attempts, 2 * bus.counts().collisions);
    if (bus.counts().collisions > 1) continue;
    const std::int64_t begins_ps = sink.ends[0].end_ps - 57'600'000;
    EXPECT_EQ(begins_ps, 21'200'000);  // one collision: one drew 0, the other 1
    begun_at_once += sink.ends[0].frame.source == 0;
    EXPECT_EQ(sink.ends[1].end_ps, 21'200'000 + 57'600'000 + 2 * us + 9'600'000 + 57'600'000);
  }
  // Each equally likely to draw 0, in half of 64 runs: 16 expected of station 0, sigma about 3.5.
  EXPECT_NEAR(begun_at_once, 16, 12);
}

// 10 us apart, one begins at 0 and the other at 5 us. The second hears the first at 10 us, finishes its
// preamble at 11.4 and its jam at 14.6; the first hears it at 15 us and jams until 18.2. One collision.
TEST(CsmaBus, ACollisionIsHeardAfterThePropagation) {
  Sink sink;
  CsmaBus bus({}, {{0, 0}, {10 * us, 0}}, 1, sink);
  bus.put({.id = 0, .source = 0, .destination = 1, .bytes = 64}, 0);
  bus.advance(5 * us);
  bus.put({.id = 1, .source = 1, .destination = 0, .bytes = 64}, 5 * us);
  bus.advance(14 * us);
  EXPECT_EQ(bus.counts().collided_attempts, 1u);
  bus.advance(15 * us);
  EXPECT_EQ(bus.counts().collided_attempts, 2u);
  EXPECT_EQ(bus.counts().collisions, 1u);
  bus.advance(CsmaBus::nothing);
  EXPECT_EQ(sink.ends.size(), 2u);
  EXPECT_EQ(bus.counts().late_collisions, 0u);
}

// With a back-off that can only be 0 two stations collide for ever: 16 attempts, then both frames are
// dropped.
TEST(CsmaBus, AfterSixteenAttemptsTheFrameIsDropped) {
  Sink sink;
  BusRules rules;
  rules.backoff_limit = 0;
  CsmaBus bus(rules, together(2), 1, sink);
  for (const std::uint32_t station : {0u, 1u})
    bus.put({.id = station, .source = station, .destination = 1 - station, .bytes = 64}, 0);
  bus.advance(CsmaBus::nothing);
  EXPECT_EQ(sink.ends.size(), 0u);
  EXPECT_EQ(sink.lost.size(), 2u);
  EXPECT_EQ(bus.counts().dropped, 2u);
  EXPECT_EQ(bus.counts().collisions, 16u);
  EXPECT_EQ(bus.counts().collided_attempts, 32u);
}

TEST(CsmaBus, ASeedIsARunAndAnotherSeedAnother) {
  const auto counts = [](std::uint64_t seed) {
    SaturatedStations stations = saturated(8, 512, seed);
    stations.run(0, 0.5);
    return stations.counts().collided_attempts;
  };
  EXPECT_EQ(counts(7), counts(7));
  EXPECT_NE(counts(7), counts(8));
}

// All rules are in bit times: next to each other, ten times the rate is the same run in a tenth of the time.
TEST(CsmaBus, TenTimesTheRateIsTheSameRunInATenthOfTheTime) {
  BusRules fast;
  fast.bits_per_s = 100e6;
  SaturatedStations slow_run({}, together(6), 3, [] { return 1000u; });
  SaturatedStations fast_run(fast, together(6), 3, [] { return 1000u; });
  slow_run.run(0, 2);
  fast_run.run(0, 0.2);
  EXPECT_EQ(slow_run.counts().sent, fast_run.counts().sent);
  EXPECT_EQ(slow_run.counts().collided_attempts, fast_run.counts().collided_attempts);
}

// One station alone: 8 + n bytes of every 8 + n + 12.
TEST(CsmaBus, OneSaturatedStationUsesAllButTheGaps) {
  for (const std::uint32_t bytes : {64u, 512u, 1518u}) {
    SaturatedStations stations = saturated(1, bytes);
    stations.run(0.1, 1);
    EXPECT_NEAR(stations.utilisation(), (8.0 + bytes) / (20.0 + bytes), 1e-3);
    EXPECT_EQ(stations.counts().collisions, 0u);
  }
}

// The exact chain, at sizes where the capture effect is all (64 bytes) and where it hardly is (a frame longer
// than the longest back-off). Twelve runs; three of their standard errors are under 5%.
TEST(CsmaBus, TwoSaturatedStationsAreTheExactMarkovChain) {
  for (const std::uint32_t bytes : {64u, 512u, 1518u, 4000u, 70000u}) {
    const SaturatedBus exact = two_saturated_stations({}, bytes);
    double utilisation = 0, collisions = 0, drops = 0;
    const int runs = 12;
    for (int seed = 1; seed <= runs; ++seed) {
      SaturatedStations stations({}, together(2), static_cast<std::uint64_t>(seed),
                                 [bytes] { return bytes; });
      stations.run(5, bytes > 10000 ? 400 : 40);
      const auto sent = static_cast<double>(stations.counts().sent);
      utilisation += stations.utilisation() / runs;
      collisions += stations.collisions_per_packet() / runs;
      drops += static_cast<double>(stations.counts().dropped) / sent / runs;
    }
    EXPECT_NEAR(utilisation / exact.utilisation, 1, 0.002) << bytes;
    EXPECT_NEAR(collisions / exact.collisions_per_packet, 1, 0.05) << bytes;
    EXPECT_NEAR(drops, exact.drops_per_packet, 0.1 * exact.drops_per_packet + 1e-4) << bytes;
  }
}

// The walked chain at two stations is the solved one: two ways to compute the same.
TEST(CsmaTheory, TheWalkedChainOfTwoStationsIsTheSolvedOne) {
  for (const std::uint32_t bytes : {64u, 1518u}) {
    const SaturatedBus solved = two_saturated_stations({}, bytes),
                       walked = saturated_stations_walked({}, bytes, 2, 8'000'000, 1);
    EXPECT_NEAR(walked.utilisation / solved.utilisation, 1, 0.001) << bytes;
    EXPECT_NEAR(walked.collisions_per_packet / solved.collisions_per_packet, 1, 0.04) << bytes;
    EXPECT_NEAR(walked.drops_per_packet / solved.drops_per_packet, 1, 0.06) << bytes;
  }
}

// The walked chain, few and many stations, short and long frames. Stations next to each other,
// as the chain has no propagation. The seconds are as many as bring the standard errors of collisions and
// drops to about 2% at most.
TEST(CsmaBus, ManySaturatedStationsAreTheWalkedMarkovChain) {
  struct Case {
    int stations;
    std::uint32_t bytes;
    double seconds;
  };
  for (const Case& one : {Case{3, 512, 40}, Case{10, 1518, 20}, Case{24, 64, 3}, Case{64, 1518, 2}}) {
    const SaturatedBus chain = saturated_stations_walked({}, one.bytes, one.stations, 1'000'000, 1);
    SaturatedStations stations({}, together(one.stations), 1, [&] { return one.bytes; });
    stations.run(1, one.seconds);
    const double drops =
        static_cast<double>(stations.counts().dropped) / static_cast<double>(stations.counts().sent);
    const std::string which =
        std::to_string(one.stations) + " stations, " + std::to_string(one.bytes) + " bytes";
    EXPECT_NEAR(stations.utilisation() / chain.utilisation, 1, 0.01) << which;
    EXPECT_NEAR(stations.collisions_per_packet() / chain.collisions_per_packet, 1, 0.05) << which;
    EXPECT_NEAR(drops / chain.drops_per_packet, 1, 0.1) << which;
  }
}

// Metcalfe and Boggs 1976, with the standard's slot as theirs: 1536 and 4000 bytes, 2 to 64 stations within
// 5%.
TEST(CsmaBus, LongFramesAreWithinFivePercentOfMetcalfeAndBoggs) {
  for (const std::uint32_t bytes : {1536u, 4000u})
    for (const int count : {2, 5, 24, 64}) {
      SaturatedStations stations = saturated(count, bytes);
      stations.run(1, 6);
      const double theory = metcalfe_boggs_utilisation((8 + bytes) * 0.8e-6, 51.2e-6, count);
      EXPECT_NEAR(stations.utilisation() / theory, 1, 0.05) << bytes << " bytes, " << count << " stations";
    }
}

}  // namespace
}  // namespace ww::ether

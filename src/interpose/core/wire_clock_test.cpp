#include "interpose/core/wire_clock.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ww::interpose {
namespace {

constexpr int64_t ms = 1'000'000, s = 1000 * ms;  // of ticks of 1 ns

// Another machine's boot was an hour before rank 0's, and its clock is 40 millionths too slow: what it shows at an
// instant of rank 0's clock, and exchanges of clocks there, each wrong by what its way there and back differ.
constexpr double slow = 40e-6;
uint64_t shown(int64_t root) {
  return static_cast<uint64_t>(3600 * s + root - static_cast<int64_t>(slow * static_cast<double>(root)));
}
ClockSample exchange(int64_t root, int64_t error = 0, int64_t uncertainty = 20'000) {
  ClockSample sample;
  sample.at_ticks = shown(root);
  sample.offset = root - static_cast<int64_t>(sample.at_ticks) + error;
  sample.uncertainty = uncertainty;
  return sample;
}
double error_at(const ClockSamples& samples, int64_t root) {
  return static_cast<double>(static_cast<int64_t>(samples.line().to_root(shown(root))) - root);
}

TEST(WireClock, OfOneExchangeItIsTheOffset) {
  ClockSamples samples;
  samples.add(exchange(10 * s));
  EXPECT_NEAR(error_at(samples, 10 * s), 0, 1);
  EXPECT_NEAR(error_at(samples, 11 * s), -40'000, 2) << "40 millionths of the second since";
}

TEST(WireClock, OfSeveralItKnowsTheDrift) {
  ClockSamples samples;
  for (int i = 0; i <= 7; ++i) samples.add(exchange(2 * i * s, i == 0 ? 1'000 : i == 7 ? -1'000 : 5'000));
  // the ends are 14 s apart and wrong by 1 us each way: 2 us in 14 s, and 1 us at the last
  EXPECT_NEAR(error_at(samples, 14 * s), -1'000, 2);
  EXPECT_NEAR(error_at(samples, 16 * s), -1'000 - 2'000 * 2 / 14, 3);
}

// 20 us in 0.1 s could be 400 millionths, more than any two clocks of one kind differ.
TEST(WireClock, ExchangesThatAreTooCloseSayNothingOfTheDrift) {
  ClockSamples samples;
  samples.add(exchange(0, 20'000));
  samples.add(exchange(100 * ms, -20'000));
  EXPECT_EQ(samples.line().slope, 0);
}

TEST(WireClock, ADriftThatChangesIsSeenWithinSomeExchanges) {
  ClockSamples samples;
  for (int i = 0; i < 8; ++i) samples.add(exchange(i * s));
  // from 8 s on the offset grows by 100 millionths more
  for (int i = 8; i < 16; ++i) samples.add(exchange(i * s, 100'000ll * (i - 7)));
  EXPECT_NEAR(samples.line().slope, (slow + 100e-6) * (1 + slow), 1e-7);
}

TEST(WireClock, AnExchangeThatContradictsTheLastIsNotTaken) {
  ClockSamples samples;
  EXPECT_TRUE(samples.add(exchange(0)));
  EXPECT_FALSE(samples.add(exchange(1 * s, 100 * ms)));
  EXPECT_FALSE(samples.add(exchange(-1 * s))) << "time goes on";
  EXPECT_TRUE(samples.add(exchange(2 * s)));
}

// A counter of 2.1 GHz, and rank 0's of 3: of the rates alone, before a second exchange.
TEST(WireClock, CountersOfTwoKindsAreKnownByTheirRates) {
  ClockSamples samples(3.0 / 2.1 - 1);
  ClockSample first;
  first.at_ticks = 2'100'000'000;
  first.offset = 500;
  samples.add(first);
  EXPECT_EQ(samples.line().to_root(2'100'000'000ull * 2), 2'100'000'000ull + 500 + 3'000'000'000ull);
  EXPECT_EQ(ClockSamples(5e-4).line().slope, 0) << "of one kind: nobody states them that exactly";
}

TEST(WireClock, ThereAndBackIsWhereItWas) {
  for (const double slope : {0.0, slow, 0.43, -0.3}) {
    const ClockLine line{1'000'000'000'000, -987'654'321'000, slope};
    for (const uint64_t own : {900'000'000'000ull, 1'000'000'000'000ull, 1'500'000'000'000ull})
      EXPECT_NEAR(static_cast<double>(line.from_root(line.to_root(own))), static_cast<double>(own), 1.5);
  }
}

// The ranks of a machine see what the one of them that asks has found.
TEST(WireClock, RanksOfAMachineShareIt) {
  std::vector<uint64_t> memory(wire_clock_memory() / 8);
  begin_wire_clock(false, 0, exchange(0));
  share_wire_clock(memory.data(), true);
  add_to_wire_clock(exchange(10 * s));
  begin_wire_clock(false, 0, exchange(0));  // another rank, which did not exchange
  EXPECT_NEAR(static_cast<double>(wire_clock().to_root(shown(20 * s))), 20e9, 5);
  unshare_wire_clock();
  EXPECT_NEAR(static_cast<double>(wire_clock().to_root(shown(20 * s))), 20e9 - 800'000, 5)
      << "by the first alone";
  begin_wire_clock(true, 0, {});
  EXPECT_EQ(wire_clock().to_root(12345), 12345u);
}

}  // namespace
}  // namespace ww::interpose

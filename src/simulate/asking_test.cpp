// Expectations follow from the rule in asking.hpp.
#include "simulate/asking.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

// Rank 1 asks `times` times with `between_s` behind each, and then finds the message, or gives up; so it took `times` of
// 0.3 us and more when it was recorded.
TraceBuilder asking(int times, double between_s, bool found = true) {
  auto builder = TraceBuilder::spread(2);
  const std::uint32_t message = builder.irecv(1, 0, 1000);
  for (int i = 0; i < times; ++i) {
    builder.asks(1);
    builder.compute(1, between_s);
  }
  if (found) builder.finds(1, message);
  if (!found) builder.other(1, 1e-6);
  if (!found) builder.wait(1, {}, {message});
  builder.compute(0, 50e-6);
  builder.send(0, 1, 1000);
  return builder;
}

std::size_t waiting(TraceBuilder& builder) {
  const auto waits = waits_by_asking(builder.trace(), builder.trace().ranks[1]);
  return static_cast<std::size_t>(std::count(waits.begin(), waits.end(), true));
}

double end_s(TraceBuilder& builder, double per_byte_s) {
  LinearMachine machine;
  machine.latency_s = 10e-6;
  machine.per_byte_s = per_byte_s;
  const auto simulated = replay(builder.trace(), machine.model(), {});
  EXPECT_TRUE(simulated) << (simulated ? "" : to_string(simulated.error()));
  return simulated ? simulated->ranks[1].elapsed_s : 0;
}

TEST(Asking, ALoopThatDoesNothingElseWaits) {
  auto builder = asking(5000, 20e-9);
  EXPECT_EQ(waiting(builder), 5000u);
  // 1.6 ms were recorded; the message comes after 50 + 10 us and its bytes, whether that is sooner or later.
  for (const double per_byte_s : {0.1e-6, 5e-6}) {
    const double there_s = 60e-6 + 1000 * per_byte_s;
    EXPECT_NEAR(end_s(builder, per_byte_s), there_s, 1e-6) << per_byte_s;
  }
}

TEST(Asking, WhatIsComputedInBetweenIsKept) {
  auto builder = asking(100, 5e-6);
  EXPECT_EQ(waiting(builder), 0u);
  EXPECT_NEAR(end_s(builder, 0.1e-6), 100 * 5.3e-6, 3e-6);
}

TEST(Asking, ALoopThatGaveUpIsKept) {
  auto builder = asking(1000, 20e-9, false);
  EXPECT_EQ(waiting(builder), 0u);
  EXPECT_NEAR(end_s(builder, 0.01e-6), 1000 * 0.32e-6, 5e-6);
}

// Interrupts: three of a thousand calls have 100 us behind them.
TEST(Asking, InterruptsDoNotMakeALoopCompute) {
  auto builder = TraceBuilder::spread(2);
  const std::uint32_t message = builder.irecv(1, 0, 1000);
  for (int i = 0; i < 1000; ++i) {
    builder.asks(1);
    builder.compute(1, i % 300 == 200 ? 100e-6 : 15e-9);
  }
  builder.finds(1, message);
  builder.send(0, 1, 1000);
  EXPECT_EQ(waiting(builder), 1000u);
  EXPECT_NEAR(end_s(builder, 0.1e-6), 110e-6, 2e-6);
}

}  // namespace
}  // namespace ww::simulate

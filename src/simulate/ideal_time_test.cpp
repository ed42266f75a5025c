// Closed forms: on the ideal network only computation and the order of the ranks take time.
#include "simulate/ideal_time.hpp"

#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"

namespace ww::simulate {
namespace {

// Rank 0 computes 1 s and sends; rank 1 computes 0.4 s, receives, computes 0.5 s: they follow each other.
TEST(Ideal, OnlyComputationAndOrderRemain) {
  auto builder = TraceBuilder::spread(2);
  builder.compute(0, 1.0);
  builder.call_ns = 200'000'000;  // what the calls took when recorded does not matter
  builder.send(0, 1, 1 << 20);
  builder.compute(1, 0.4);
  builder.recv(1, 0, 1 << 20);
  builder.compute(1, 0.5);
  const auto ideal = replay_on_ideal(builder.trace(), nullptr);
  ASSERT_TRUE(ideal) << to_string(ideal.error());
  EXPECT_NEAR(ideal->elapsed_s, 1.5, 1e-9);
}

// A large message waits for its receive only where the machine that recorded has an eager threshold: then the
// sender goes on at 1 s instead of 0.2 s and ends at 1 + 0.6 s.
TEST(Ideal, LargeMessagesWaitForTheirReceiveAsOnTheMachine) {
  auto builder = TraceBuilder::spread(2);
  builder.compute(0, 0.2);
  builder.send(0, 1, 1 << 20);
  builder.compute(0, 0.6);
  builder.compute(1, 1.0);
  builder.recv(1, 0, 1 << 20);
  MachineModel machine;
  Link link;
  link.eager_threshold_bytes = 65536;
  machine.links = {link};
  const auto alone = replay_on_ideal(builder.trace(), nullptr);
  const auto known = replay_on_ideal(builder.trace(), &machine);
  ASSERT_TRUE(alone && known);
  EXPECT_NEAR(alone->elapsed_s, 1.0, 1e-9);
  EXPECT_NEAR(known->elapsed_s, 1.6, 1e-9);
  EXPECT_NE(alone->assumption, known->assumption);
}

}  // namespace
}  // namespace ww::simulate

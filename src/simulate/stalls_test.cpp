// Messages that stood still; expected times by hand: a message of n bytes takes latency + n * per_byte (LinearMachine), and what
// it took beyond that was a timer's, which another wire does not shorten.
#include "simulate/stalls.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

constexpr double compute_s = 0.5e-3, stall_s = 0.2;

std::int64_t ns(double seconds) {
  return std::llround(seconds * 1e9);
}

// Ten messages from rank 0 to rank 1, which waits since 0.25 ms before each; that of `stalled` came late.
Trace stream(const LinearMachine& machine, std::uint64_t bytes, int stalled) {
  auto builder = TraceBuilder::spread(2);
  auto& ranks = builder.trace().ranks;
  std::int64_t now_ns = 0;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t message_ns =
        ns(machine.one_way_s(static_cast<double>(bytes)) + (i == stalled ? stall_s : 0));
    ranks[1].end_ns = now_ns + ns(compute_s / 2);
    builder.call_ns = ns(compute_s / 2) + message_ns;
    builder.recv(1, 0, bytes);
    ranks[0].end_ns = now_ns + ns(compute_s);
    builder.call_ns = 1000;
    builder.send(0, 1, bytes);
    now_ns += ns(compute_s) + message_ns;
    ranks[0].end_ns = now_ns;  // and computes until it is there
  }
  return builder.trace();
}

TEST(Stalls, AreTheMessagesThatNothingExplains) {
  const LinearMachine machine;
  const auto program = compile(stream(machine, 400, 6));
  ASSERT_TRUE(program);
  const auto stalls = find_stalls(*program, machine.model());
  ASSERT_EQ(stalls.size(), 1u);
  EXPECT_EQ(stalls[0].message, 6u);
  EXPECT_NEAR(stalls[0].seconds, stall_s, 1e-8);
  const auto none = compile(stream(machine, 400, -1));
  EXPECT_TRUE(find_stalls(*none, machine.model()).empty());
}

// A message above the eager threshold whose sender has left its call may wait for it, and no timer is needed to explain that.
TEST(Stalls, ASenderThatIsNeededIsNoStall) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  const auto program = compile(stream(machine, 400, 6));
  ASSERT_TRUE(program);
  MachineModel model = machine.model();
  model.links[0].rendezvous_needs_sender = true;
  EXPECT_TRUE(find_stalls(*program, model).empty());
  model.links[0].rendezvous_needs_sender = false;
  EXPECT_EQ(find_stalls(*program, model).size(), 1u);
}

// The sender goes on when each message is there: the run holds the stall of the last one. On a wire ten times faster it is there
// too, and the interval holds that it is not.
TEST(Stalls, StayOnAnotherWire) {
  const LinearMachine machine;
  const auto prediction = predict(stream(machine, 4000, 9), machine.model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(prediction);
  EXPECT_TRUE(prediction->diagnostics.has("messages-stood-still"));
  EXPECT_NEAR(prediction->replayed_s / prediction->recorded_s, 1, 0.01);
  EXPECT_GE(prediction->predicted_s, stall_s);
  const auto without = predict(stream(machine, 4000, -1), machine.model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->diagnostics.has("messages-stood-still"));
  EXPECT_LE(prediction->predicted_low_s, without->predicted_s * 1.001);
}

}  // namespace
}  // namespace ww::simulate

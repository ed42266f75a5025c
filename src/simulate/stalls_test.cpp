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

// Five round trips; who has sent waits for the answer at once, who has received computes and answers. Message number `stalled`
// came late.
Trace ping_pong(const LinearMachine& machine, std::uint64_t bytes, int stalled) {
  auto builder = TraceBuilder::spread(2);
  auto& ranks = builder.trace().ranks;
  std::int64_t now_ns = 0;
  for (int i = 0; i < 10; ++i) {
    const int sender = i % 2;
    const std::int64_t message_ns =
        ns(machine.one_way_s(static_cast<double>(bytes)) + (i == stalled ? stall_s : 0));
    builder.call_ns =
        now_ns + ns(compute_s) + message_ns - ranks[static_cast<std::size_t>(1 - sender)].end_ns;
    builder.recv(1 - sender, sender, bytes);
    ranks[static_cast<std::size_t>(sender)].end_ns = now_ns + ns(compute_s);
    builder.call_ns = 1000;
    builder.send(sender, 1 - sender, bytes);
    now_ns += ns(compute_s) + message_ns;
  }
  return builder.trace();
}

TEST(Stalls, AreTheMessagesThatNothingExplains) {
  const LinearMachine machine;
  const auto program = compile(ping_pong(machine, 400, 6));
  ASSERT_TRUE(program);
  const auto stalls = find_stalls(*program, machine.model());
  ASSERT_EQ(stalls.size(), 1u);
  EXPECT_EQ(stalls[0].message, 6u);
  EXPECT_NEAR(stalls[0].seconds, stall_s, 1e-8);
  const auto none = compile(ping_pong(machine, 400, -1));
  EXPECT_TRUE(find_stalls(*none, machine.model()).empty());
}

// A message above the eager threshold whose sender has left its call may wait for it, and no timer is needed to explain that.
TEST(Stalls, ASenderThatIsNeededIsNoStall) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  const auto program = compile(ping_pong(machine, 400, 6));
  ASSERT_TRUE(program);
  MachineModel model = machine.model();
  model.links[0].rendezvous_needs_sender = true;
  EXPECT_TRUE(find_stalls(*program, model).empty());
  model.links[0].rendezvous_needs_sender = false;
  EXPECT_EQ(find_stalls(*program, model).size(), 1u);
}

// On a wire ten times faster the late message is as late: 10 (compute + latency + 4000 bytes at a tenth) and the stall. The
// interval holds that it is not.
TEST(Stalls, StayOnAnotherWire) {
  const LinearMachine machine;
  const auto prediction =
      predict(ping_pong(machine, 4000, 9), machine.model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(prediction);
  EXPECT_TRUE(prediction->diagnostics.has("messages-stood-still"));
  EXPECT_NEAR(prediction->replayed_s / prediction->recorded_s, 1, 0.01);
  EXPECT_NEAR(prediction->predicted_s / (10 * (compute_s + 100e-6 + 400e-6) + stall_s), 1, 0.01);
  const auto without =
      predict(ping_pong(machine, 4000, -1), machine.model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->diagnostics.has("messages-stood-still"));
  EXPECT_LE(prediction->predicted_low_s, without->predicted_s * 1.001);
}

}  // namespace
}  // namespace ww::simulate

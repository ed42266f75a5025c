// Expectations follow from the rule at ReplayCosts::kept_share.
#include "simulate/costs.hpp"

#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

// F is 20 us of a one-way time of 100 us; the wire takes no time of its own.
MachineModel machine() {
  LinearMachine out;
  out.per_byte_s = 0;
  out.send_s = 20e-6;
  return out.model();
}

struct Ends {
  double sender_s = 0, receiver_s = 0;
};

Ends ends_of(TraceBuilder& builder) {
  builder.trace().calls_timed = true;
  const auto simulated = replay(builder.trace(), machine(), {});
  EXPECT_TRUE(simulated) << (simulated ? "" : to_string(simulated.error()));
  if (!simulated) return {};
  return {simulated->ranks[0].elapsed_s, simulated->ranks[1].elapsed_s};
}

// Three sends whose calls took as much when they were recorded.
TraceBuilder three_sends(std::int64_t first_ns, std::int64_t others_ns) {
  auto builder = TraceBuilder::spread(2);
  for (int i = 0; i < 3; ++i) {
    builder.call_ns = i == 0 ? first_ns : others_ns;
    builder.send(0, 1, 8);
  }
  for (int i = 0; i < 3; ++i) builder.recv(1, 0, 8);
  return builder;
}

TEST(ReplayCosts, ASendKeepsItsRankAsItDidWhenItWasRecorded) {
  auto builder = three_sends(25'000, 2'000);
  const Ends ends = ends_of(builder);
  EXPECT_NEAR(ends.sender_s, 20e-6 + 2 * 2e-6, 1e-9) << "never for longer than one alone takes";
  // The last is handed over 22 us after the rank began, as the first two, and on its way as long as one alone.
  EXPECT_NEAR(ends.receiver_s, 22e-6 + 100e-6, 1e-9);
}

TEST(ReplayCosts, AMessageAloneTakesItsOneWayTimeWhateverItsSendKept) {
  auto builder = TraceBuilder::spread(2);
  builder.call_ns = 1'000;
  builder.send(0, 1, 8);
  builder.recv(1, 0, 8);
  const Ends ends = ends_of(builder);
  EXPECT_NEAR(ends.sender_s, 1e-6, 1e-9);
  EXPECT_NEAR(ends.receiver_s, 100e-6, 1e-9);
}

// Twenty sends in a row of 2 us were recorded; that they take 20 us each is in the interval, and only there.
TEST(ReplayCosts, ThatSendsTakeWhatOneAloneTakesIsInTheInterval) {
  auto builder = TraceBuilder::spread(2);
  builder.call_ns = 2'000;
  constexpr int sends = 20;
  for (int i = 0; i < sends; ++i) builder.send(0, 1, 8);
  for (int i = 0; i < sends; ++i) builder.recv(1, 0, 8);
  for (const bool told : {false, true}) {
    builder.trace().calls_timed = told;
    const auto prediction = predict(builder.trace(), machine(), {});
    ASSERT_TRUE(prediction);
    EXPECT_NEAR(prediction->send_kept_share, told ? 0.1 : 1, 1e-9);
    const double all_s = sends * 20e-6 + 80e-6, in_a_row_s = sends * 2e-6 + 98e-6;
    EXPECT_NEAR(prediction->simulated.ranks[1].elapsed_s, told ? in_a_row_s : all_s, 1e-9);
    EXPECT_GE(prediction->predicted_high_s, all_s - 1e-9);
  }
}

// Within a host what was recorded says nothing about the wire.
TEST(ReplayCosts, SendsWithinAHostSayNothing) {
  TraceBuilder builder({"host", "host"});
  builder.call_ns = 1'000;
  builder.send(0, 1, 8);
  builder.recv(1, 0, 8);
  builder.trace().calls_timed = true;
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->messages[0].send_called, 0);
}

// A call that sends several, or receives too (MPI_Sendrecv), has no time for one.
TEST(ReplayCosts, CallsThatDoMoreSayNothing) {
  auto builder = TraceBuilder::spread(2);
  builder.call_ns = 1'000;
  builder.sendrecv(0, 1, 8, 1, 8);
  builder.sendrecv(1, 0, 8, 0, 8);
  const Ends ends = ends_of(builder);
  EXPECT_NEAR(ends.sender_s, 100e-6, 1e-9);
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  for (const ProgramMessage& message : program->messages) EXPECT_EQ(message.send_called, 0);
}

// Of messages of collectives: as of the program's, in the median, where there are ten.
TEST(ReplayCosts, CollectivesGoByTheProgramsOtherSends) {
  for (const int sends : {9, 10}) {
    auto builder = TraceBuilder::spread(2);
    builder.call_ns = 2'000;
    for (int i = 0; i < sends; ++i) builder.send(0, 1, 8);
    for (int i = 0; i < sends; ++i) builder.recv(1, 0, 8);
    builder.collective(CollectiveOp::bcast, 0, {8, 0}, {0, 8});
    const Ends ends = ends_of(builder);
    EXPECT_NEAR(ends.sender_s, sends * 2e-6 + (sends < 10 ? 20e-6 : 2e-6), 1e-9) << sends;
  }
}

}  // namespace
}  // namespace ww::simulate

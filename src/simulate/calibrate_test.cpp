// Which recorded messages tell what software takes beyond the model: by hand, on the linear machine.
#include "simulate/calibrate.hpp"

#include <gtest/gtest.h>

#include "simulate/machine_fixture.hpp"
#include "simulate/trace_builder.hpp"

namespace ww::simulate {
namespace {

constexpr int rounds = 20;
constexpr std::uint64_t bytes = 4000;
constexpr std::int64_t apart_ns = 1'000'000'000;

// Every second rank 0 sends a message to each of `others`, who wait for it, one right after the other, and a quarter later each of them
// answers. All take twice what the model says.
Calibration found_with(int others) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(1 + others);
  Trace& trace = builder.trace();
  const auto takes_ns = static_cast<std::int64_t>(2e9 * machine.one_way_s(static_cast<double>(bytes)));
  const auto put = [&](int rank, std::int64_t at_ns, std::int64_t call_ns, auto&& call) {
    trace.ranks[static_cast<std::size_t>(rank)].end_ns = at_ns;
    builder.call_ns = call_ns;
    call();
  };
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t there_ns = round * apart_ns + apart_ns / 4, back_ns = there_ns + apart_ns / 4;
    for (int other = 1; other <= others; ++other) {
      put(other, there_ns - 1000, takes_ns + 1000, [&] { builder.recv(other, 0, bytes); });
      put(0, there_ns + 10 * other, 5, [&] { builder.send(0, other, bytes); });
    }
    for (int other = 1; other <= others; ++other) {
      put(other, back_ns, 5, [&] { builder.send(other, 0, bytes); });
      put(0, back_ns - 2000 + other, takes_ns + 2000, [&] { builder.recv(0, other, bytes); });
    }
  }
  const auto program = compile(trace);
  EXPECT_TRUE(program);
  return calibrate(*program, machine.model());
}

TEST(Calibration, IsFoundFromMessagesThatAreAlone) {
  const Calibration found = found_with(1);
  EXPECT_EQ(found.messages, 2U * rounds);
  EXPECT_NEAR(found.extra_software_s, LinearMachine().one_way_s(bytes), 1e-6);
}

// Those to two hosts share the sender's port, those from two the receiver's: what they take longer is no software.
TEST(Calibration, IsNotFoundFromMessagesThatShareAPort) {
  EXPECT_EQ(found_with(2).messages, 0U);
}

}  // namespace
}  // namespace ww::simulate

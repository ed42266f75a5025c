// Expected times by hand, from the rules in tcp_windows.hpp.
#include "simulate/networks/tcp_windows.hpp"

#include <gtest/gtest.h>

#include "simulate/replay_fixture.hpp"

namespace ww::simulate {
namespace {

// A frame takes a millisecond; 18 are let through when slow start ends.
WireFacts slow_wire() {
  WireFacts wire;
  wire.seconds_per_byte = 1e-6;
  wire.frame_payload_bytes = 960;
  wire.frame_overhead_bytes = 40;
  wire.window_frames = 18;
  return wire;
}

// 54 frames are three windows, which stand still twice for 13 frames where the other direction has that much to go (26 ms), and no longer than
// that has beyond the first window. Their window is 21 then: three more.
TEST(TcpWindows, WhoBeginsLaterWaitsBehindWhatTheOtherHandedOver) {
  TcpWindows windows(slow_wire(), 2);
  EXPECT_NEAR(windows.stands_still_s(0, 1, 54e-3, 50e-3, 1), 26e-3, 1e-12);
  TcpWindows nearly_done(slow_wire(), 2);
  EXPECT_NEAR(nearly_done.stands_still_s(0, 1, 54e-3, 40e-3, 1), 22e-3, 1e-12) << "40 - 18 ms";
  TcpWindows alone(slow_wire(), 2);
  EXPECT_EQ(alone.stands_still_s(0, 1, 54e-3, 0, 1), 0);
  EXPECT_EQ(windows.stands_still_s(0, 1, 21e-3, 50e-3, 1), 0) << "fits into a window of 21";
  EXPECT_NEAR(windows.stands_still_s(0, 1, 22e-3, 50e-3, 1), 13e-3, 1e-12);
}

// Each direction and pair has its own; with time it grows by the cube: 2.5 s later by 6.25 frames, 3 s later by 10.8.
TEST(TcpWindows, TheyGrowWithTime) {
  TcpWindows windows(slow_wire(), 2);
  EXPECT_GT(windows.stands_still_s(0, 1, 19e-3, 50e-3, 1), 0);
  EXPECT_GT(windows.stands_still_s(0, 1, 25e-3, 50e-3, 3.5), 0);
  EXPECT_EQ(windows.stands_still_s(0, 1, 27e-3, 50e-3, 4), 0);
  EXPECT_GT(windows.stands_still_s(1, 0, 19e-3, 50e-3, 4), 0);
}

// Two ranks send each other 40 frames of 1.1 ms, the second 5 ms after the first: by steady TCP both go at once; by Linux's own, windows of 18,
// the second stands still once for 13 frames, as the other has 39 ms left, which is not two windows. With three ranks messages go in pieces,
// which no window is in the way of.
TEST(TcpWindows, AnExchangeTakesLongerByThem) {
  const auto ends_s = [](bool linux_tcp, std::uint64_t bytes = 40000, int ranks = 2) {
    MachineModel model = framed();
    model.lab.linux_tcp = linux_tcp;
    auto builder = TraceBuilder::spread(ranks);
    builder.compute(1, 5e-3);
    for (const int rank : {0, 1}) builder.send(rank, 1 - rank, bytes);
    for (const int rank : {0, 1}) builder.recv(rank, 1 - rank, bytes);
    const Simulated simulated = run(builder, model);
    return std::pair{end_s(simulated, 0), end_s(simulated, 1)};
  };
  const auto steady = ends_s(false), linux_tcp = ends_s(true);
  EXPECT_NEAR(linux_tcp.first - steady.first, 13 * 1.1e-3, 1e-9);
  EXPECT_NEAR(linux_tcp.second, steady.second, 1e-9);
  EXPECT_EQ(ends_s(true, 600000, 3), ends_s(false, 600000, 3));
}

}  // namespace
}  // namespace ww::simulate

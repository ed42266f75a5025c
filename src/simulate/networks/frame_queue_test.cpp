// Of hosts that hand over several frames of a stream at once; expected times by hand, from the rules in frame_queue.hpp and ports.hpp.
#include "simulate/networks/frame_queue.hpp"

#include <gtest/gtest.h>

#include "simulate/replay_fixture.hpp"

namespace ww::simulate {
namespace {

MachineModel handing_over(double frames_at_once) {
  MachineModel model = framed();
  model.lab.at_once = frames_at_once;
  return model;
}

// Two ranks send a third 2500 bytes each, three frames that take 2800 us. One by one they take turns at its port, so that the first message
// ends with the fifth frame; at once the one message is there before the other begins.
TEST(FrameQueue, NothingComesBetweenWhatIsHandedOverAtOnce) {
  const auto first_s = [](double frames_at_once) {
    auto builder = TraceBuilder::spread(3);
    for (const int sender : {1, 2}) builder.send(sender, 0, 2500);
    builder.recv(0, 1, 2500);
    builder.compute(0, 1);
    builder.recv(0, 2, 2500);
    return end_s(run(builder, handing_over(frames_at_once)), 0) - 1;
  };
  EXPECT_NEAR(first_s(1), 4 * 1100e-6 + 600e-6 + lag_s(3), ps);
  EXPECT_NEAR(first_s(3), 2800e-6 + lag_s(3), ps);
}

// Twelve of 300 bytes, 400 us each alone, are all with a card that gathers three frames beside what any has; of one that does not, the last
// three go together (engine_test.cpp).
TEST(FrameQueue, WhatGathersFramesTakesMoreAheadOfTheWire) {
  for (const int taken : {9, 10, 11, 12}) {
    auto builder = TraceBuilder::spread(2);
    for (int k = 0; k < 12; ++k) builder.send(0, 1, 300);
    for (int k = 0; k < taken; ++k) builder.recv(1, 0, 300);
    builder.compute(1, 1);
    for (int k = taken; k < 12; ++k) builder.recv(1, 0, 300);
    EXPECT_NEAR(end_s(run(builder, handing_over(3)), 1), 1 + taken * 400e-6 + lag_s(1), ps) << taken;
  }
}

}  // namespace
}  // namespace ww::simulate

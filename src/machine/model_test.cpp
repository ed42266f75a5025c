#include "machine/model.hpp"

#include <gtest/gtest.h>

#include "machine/presets.hpp"

namespace ww {
namespace {

Wire by_hand() {
  Wire wire;
  wire.seconds_per_byte = 1e-6;
  wire.stages = 2;
  wire.frame_payload_bytes = 1000;
  wire.frame_overhead_bytes = 100;
  wire.message_overhead_bytes = 50;
  wire.handshake_frames = 2;
  wire.handshake_frame_bytes = 80;
  return wire;
}

// Expected values worked out by hand from the definition in model.hpp.
TEST(Wire, OneFramePassesAllStages) {
  EXPECT_DOUBLE_EQ(by_hand().wire_bytes(100), 250);
  EXPECT_NEAR(by_hand().serialisation_s(100, false), 500e-6, 1e-12);
  EXPECT_NEAR(by_hand().serialisation_s(950, false), 2200e-6, 1e-12);
  EXPECT_NEAR(by_hand().port_busy_s(100), 250e-6, 1e-12);
}

TEST(Wire, FurtherFramesOverlapWithTheStages) {
  // 951 + 50 bytes need two frames: 1201 bytes on the wire, and one full frame of 1100 for the second stage
  EXPECT_DOUBLE_EQ(by_hand().frames(951), 2);
  EXPECT_NEAR(by_hand().serialisation_s(951, false), 2301e-6, 1e-12);
}

TEST(Wire, RendezvousAddsItsHandshakeThroughAllStages) {
  EXPECT_NEAR(by_hand().serialisation_s(951, true) - by_hand().serialisation_s(951, false), 320e-6, 1e-12);
}

TEST(Wire, AnEmptyMessageTakesOneFrame) {
  EXPECT_DOUBLE_EQ(by_hand().wire_bytes(0), 150);
}

TEST(Curve, ValuesAtBreaksAndBeyond) {
  Curve curve;
  EXPECT_EQ(curve.at(10), 0);
  curve.segments = {{0, 100, 1, 0.01, {}, {}}, {100, 1000, 5, 0.02, {}, {}}};
  EXPECT_DOUBLE_EQ(curve.at(100), 2);  // a break belongs to the segment below it
  EXPECT_DOUBLE_EQ(curve.at(101), 7.02);
  EXPECT_DOUBLE_EQ(curve.at(2000), 45);
}

TEST(Presets, LogGopsDefaultIsTheFormulaOfThePaper) {
  // HPDC'10, section 2: o + L + (n - 1) G + o, and a port busy for g + (n - 1) G
  const auto model = find_preset("loggops-default");
  ASSERT_TRUE(model);
  const Link* link = model->link(Place::inter);
  ASSERT_NE(link, nullptr);
  EXPECT_NEAR(link->one_way.at(1), 5.5e-6, 1e-15);
  EXPECT_NEAR(link->one_way.at(1001), 11.5e-6, 1e-15);
  EXPECT_NEAR(link->wire->port_busy_s(1), 1e-6, 1e-15);
  EXPECT_NEAR(link->wire->port_busy_s(1001), 7e-6, 1e-15);
  EXPECT_EQ(link->rendezvous(65535), false);
  EXPECT_EQ(link->rendezvous(65536), true);
  EXPECT_EQ(find_preset("loggops"), std::nullopt);
}

}  // namespace
}  // namespace ww

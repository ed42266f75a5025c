#include "lab/switch/held_queue.hpp"

#include <gtest/gtest.h>

namespace ww::lab {
namespace {

// IEEE 802.3, clause 4: 24 bytes of a frame beside what the host hands over; 66 of headers in each frame of TCP with time stamps (RFC 7323),
// and 1448 of data in a full one.
TEST(HeldQueue, EveryFrameOfAPieceIsCounted) {
  EXPECT_EQ(bytes_on_wire(66), 90);
  EXPECT_EQ(bytes_on_wire(1514), 1538);
  EXPECT_EQ(bytes_on_wire(66 + 1449), 1538 + 91);
  EXPECT_EQ(bytes_on_wire(66 + 2 * 1448), 2 * 1538);
  EXPECT_EQ(bytes_on_wire(66 + 3 * 1448), 3 * 1538);
  EXPECT_EQ(bytes_on_wire(66 + 2 * 1448 + 500), 2 * 1538 + 90 + 500);
}

// A byte more than full frames is a frame more: no slot may hold both.
TEST(HeldQueue, TheTableReachesToThreeFrames) {
  const std::vector<std::uint16_t> sizes = sizes_on_wire();
  ASSERT_EQ(sizes.size(), 66u + 3 * 1448 + 1);
  EXPECT_EQ(sizes[1514], 1538);
  EXPECT_EQ(sizes[1515], 1538 + 91);
  EXPECT_EQ(sizes.back(), 3 * 1538);
}

}  // namespace
}  // namespace ww::lab

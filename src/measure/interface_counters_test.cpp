#include "measure/program/interface_counters.hpp"

#include <gtest/gtest.h>

namespace ww::measure {
namespace {

// The format of proc(5), /proc/net/dev; the loopback does not count.
TEST(InterfaceCounters, SumsAllButTheLoopback) {
  const auto counters = parse_counters(
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
      "colls carrier compressed\n"
      "    lo:  1000      10    0    0    0     0          0         0     1000      10    0    0    0     0 "
      "      0          0\n"
      "  eth0:123456     100    0    1    0     0          0         0   654321     200    0    2    0     0 "
      "      0          0\n"
      "eth1:1 1 0 0 0 0 0 0 2 3 0 0 0 0 0 0\n"
      "broken: 5\n");
  EXPECT_EQ(counters.received_bytes, 123457);
  EXPECT_EQ(counters.received_frames, 101);
  EXPECT_EQ(counters.sent_bytes, 654323);
  EXPECT_EQ(counters.sent_frames, 203);
  EXPECT_EQ(counters.dropped, 3);
}

}  // namespace
}  // namespace ww::measure

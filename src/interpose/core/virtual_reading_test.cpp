// What a virtual clock knows of when its rank read what came. Expectations by hand from the rules of replies.hpp.
#include <gtest/gtest.h>
#include <time.h>

#include <vector>

#include "interpose/core/definitions.hpp"
#include "interpose/core/virtual_clock.hpp"
#include "interpose/core/virtual_streams.hpp"

namespace ww::interpose {

// Of the recorder, which is not here.
void trouble(Trouble) {}
int real_clock_gettime(clockid_t id, timespec* at) {
  return clock_gettime(id, at);
}

namespace {

// A rank waits for nothing from 100 on. A small message that was there at 60 it has read; one that came at 120, when it computed, it reads at 150
// with all that has come; one to itself does that from a size on.
TEST(VirtualClock, WhoReceivesWhatCameMeanwhileReadsAllThatCame) {
  std::vector<char> ports(ports_memory(2, 2)), streams(streams_memory(2));
  start_ports(ports.data(), 2, 2);
  start_streams(streams.data(), 2);
  constexpr uint64_t small = 4;
  MessageCosts costs;  // 3 on the way, 10 and 1 a byte to receive
  costs.read("8;0:1:0;0:3:0;0:10:1;0:0:0;0:0:0");
  costs.together_s = costs.read_together_s = 0;
  ASSERT_TRUE(costs.known);
  start_virtual_clock(0, 1e9, 1, 100);
  Thread thread{};
  const auto receive = [&](double left_s, int from) {
    VirtualArrivals arrivals;
    arrivals.add(costs, small, {left_s, left_s}, 1, from, 1);
  };
  receive(57, 0);
  EXPECT_EQ(virtual_looked_s(), 100);
  EXPECT_EQ(virtual_now_s(), 114);
  add_virtual_sleep(thread, 36);
  receive(117, 0);
  EXPECT_EQ(virtual_looked_s(), 150);
  EXPECT_EQ(virtual_now_s(), 164);
  receive(155, 1);
  EXPECT_EQ(virtual_looked_s(), 150);
  EXPECT_EQ(virtual_now_s(), 178);
  own_messages_read_virtually(small);
  receive(160, 1);
  EXPECT_EQ(virtual_looked_s(), 178);
  own_messages_read_virtually(0);
  stop_virtual_clock();
}

// A wait over at 100, of which one knows at 112 that it lasted until 107.
TEST(VirtualClock, AWaitMayHaveLastedLonger) {
  start_virtual_clock(0, 1e9, 1, 100);
  Thread thread{};
  add_virtual_sleep(thread, 12);
  stayed_virtually(107);
  EXPECT_EQ(virtual_looked_s(), 107);
  EXPECT_EQ(virtual_now_s(), 119);
  stayed_virtually(103);
  EXPECT_EQ(virtual_now_s(), 119) << "no shorter";
  stop_virtual_clock();
}

}  // namespace
}  // namespace ww::interpose

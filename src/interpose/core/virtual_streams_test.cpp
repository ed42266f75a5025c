// Expectations by hand from the rules of replies.hpp and of simulate/events/reading.hpp: two ranks a host each, of which 0 sends
// a large message to 1.
#include "interpose/core/virtual_streams.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ww::interpose {
namespace {

// Large from 9 bytes on: 1 to ask, 4 more before the data, requests and replies 2 each, the port 1 a byte.
MessageCosts in_order(double together_s) {
  MessageCosts costs;
  costs.read("8;0:1:0,9:5:0;0:10:1,9:14:1;0:3:0;0:0:1;0:0:0,9:4:0");
  costs.together_s = costs.read_together_s = together_s;
  return costs;
}
constexpr uint64_t large = 100;

class VirtualStreams : public testing::Test {
 protected:
  VirtualStreams() : ports_(ports_memory(2, 2)), streams_(streams_memory(2)) {
    start_ports(ports_.data(), 2, 2);
    start_streams(streams_.data(), 2);
  }
  // From when on the data of the message that rank 0 asks for at `requested_s` pass.
  double begins_s(double requested_s, const Posting& posting, double together_s = 0) {
    return large_passes_sending_port(in_order(together_s), large, 0, 0, 1, ++number_, requested_s, posting)
        .begin_s;
  }
  void rank_1_wrote(double at_s, double left_s, double looked_s) {
    note_written(1, 0, at_s, left_s, looked_s);
  }

 private:
  std::vector<char> ports_, streams_;
  uint32_t number_ = 0;
};

// Frames of 1000 bytes and 100 beside, 1 a byte: 1600 bytes alone take 1800. Of five that are handed over together the first two
// have been cut into frames (3300 or less before them); the others are one stream with the second. One that is handed over when
// these have left takes 1800 again, and another pair has its own stream.
TEST_F(VirtualStreams, MessagesThatWaitShareFrames) {
  MessageCosts costs;
  costs.read("9999;0:0:0;0:9000:1;0:0:0;0:1800:0;;0;1000:100:0:1");
  ASSERT_TRUE(costs.known);
  double left_s = 0;
  for (const double expected_s : {1800.0, 3600.0, 5400.0, 7100.0, 8900.0}) {
    left_s += joined_port_s(costs, 1600, 0, 1, 10);
    note_written(0, 1, 10, 10 + left_s, 0);
    EXPECT_EQ(left_s, expected_s);
  }
  EXPECT_EQ(joined_port_s(costs, 1600, 1, 0, 10), 1800);
  EXPECT_EQ(joined_port_s(costs, 1600, 0, 1, 10 + left_s), 1800);
}

// Frames of 1000 bytes and 80 beside, 1 a byte: rank 1 acknowledges the second small message that it reads before it has sent anything
// (simulate/networks/small_acknowledgements.hpp), and what passes its host's port next waits 80.
TEST_F(VirtualStreams, TheSecondSmallMessageIsToldByAFrame) {
  MessageCosts costs;
  costs.read("9999;0:0:0;0:90:1;0:0:0;0:0:1;;0;1000:80:0:1");
  ASSERT_TRUE(costs.known);
  const auto reads = [&](double at_s, uint64_t bytes) { note_read(costs, bytes, 0, 1, 1, at_s - 5, at_s); };
  reads(10'000, 8);
  EXPECT_EQ(pass_sending_port(1, 10'000, 1).begin_s, 10'000);
  reads(20'000, 8);
  EXPECT_EQ(pass_sending_port(1, 20'000, 1).begin_s, 20'080);
  reads(30'000, 8);
  note_written(1, 0, 35'000, 35'100, 0);
  reads(40'000, 8);
  EXPECT_EQ(pass_sending_port(1, 40'000, 1).begin_s, 40'000) << "told with what was written";
  reads(50'000, 1000);
  reads(60'000, 8);
  EXPECT_EQ(pass_sending_port(1, 60'000, 1).begin_s, 60'000) << "full frames are told when they come";
  note_written(1, 0, 61'000, 71'000, 0);
  reads(70'000, 8);
  reads(70'010, 8);
  EXPECT_EQ(pass_sending_port(1, 70'010, 1).begin_s, 70'010) << "by data that are still on their way";
  reads(80'000, 8);
  note_told(1, 0, 85'000);
  reads(90'000, 8);
  EXPECT_EQ(pass_sending_port(1, 90'000, 1).begin_s, 90'000) << "told in a collective";
}

constexpr double request = 2, reply = 2, rest = 4;
constexpr double landing = 10;  // from when data have left to when they are there, and what lies behind them

TEST_F(VirtualStreams, WithNothingBetweenBothSidesAreWaitedFor) {
  EXPECT_EQ(begins_s(10, {5, 4}), 10 + request + reply + rest) << "posted first";
  EXPECT_EQ(begins_s(200, {500, 4}), 500 + reply + rest) << "asked for first";
}

// What rank 1 wrote after the wait in which it would have read the request lies in front of the reply; what it writes after
// a posting that answers at once does not.
TEST_F(VirtualStreams, AnUnreadRequestIsAnsweredBehindWhatIsSentNext) {
  rank_1_wrote(21, 90, 8);                              // sent after its wait that was over at 8
  EXPECT_EQ(begins_s(10, {20, 8}), 90 + reply + rest);  // the request came at 12
  EXPECT_EQ(begins_s(200, {320, 203}), 320 + reply + rest) << "read in time: at 202, during a wait until 203";
}
TEST_F(VirtualStreams, AReadRequestIsAnsweredBeforeWhatIsSentNext) {
  rank_1_wrote(21, 90, 12);
  EXPECT_EQ(begins_s(10, {20, 12}), 20 + reply + rest);
}
TEST_F(VirtualStreams, WhatComesRightAfterAWaitIsReadWithIt) {
  rank_1_wrote(21, 90, 8);
  EXPECT_EQ(begins_s(10, {20, 8}, 4), 20 + reply + rest);
}

// A rank that waits answers as requests come, behind what it has written by then.
TEST_F(VirtualStreams, AWaitingRankAnswersBehindItsData) {
  rank_1_wrote(30, 90, 8);
  EXPECT_EQ(begins_s(38, {20, 8}), 90 + reply + rest);
  rank_1_wrote(300, 400, 290);
  EXPECT_EQ(begins_s(500, {280, 250}), 500 + request + reply + rest) << "they have left";
}

// A request of one stream with data that were sent before it comes behind them.
TEST_F(VirtualStreams, ARequestLiesBehindOwnData) {
  note_written(0, 1, 9, 70, 0);
  EXPECT_EQ(begins_s(10, {5, 4}), 70 + request + reply + rest);
}

// ... a frame of 3 after the last of them, which is at 80, when a wait for them is over.
TEST_F(VirtualStreams, ARequestBehindDataIsNotReadWithThem) {
  MessageCosts costs = in_order(0);
  note_written(0, 1, 9, 70, 0, 80);
  rank_1_wrote(81, 120, 80);
  const auto ready_s = [&](uint32_t number) {
    double data_s = 0;
    large_passes_sending_port(costs, large, 0, 0, 1, number, 10, {5, 80}, &data_s);
    return data_s;
  };
  EXPECT_EQ(ready_s(1), 80 + reply + rest);
  costs.control_frame_s = 3;
  EXPECT_EQ(ready_s(2), 120 + reply + rest);
}

// Rank 1 asks at 10 behind its data, which are there at 200, and has replied behind them, too, to what 0 asked for at 20. Of one stream, so that 0
// reads the request first and has replied to it when its own data go: both at once.
TEST_F(VirtualStreams, OfOneStreamARequestIsReadBeforeTheReplyBehindIt) {
  MessageCosts costs = in_order(0);
  costs.control_frame_s = 3;
  note_written(1, 0, 5, 190, 1e9, 200);
  note_asked(costs, large, 1, 0, 10, 0);
  EXPECT_NEAR(large_passes_sending_port(costs, large, 0, 0, 1, 1, 20, {8, 0}).begin_s, 203 + rest, 1e-5);
  EXPECT_NEAR(large_passes_sending_port(costs, large, 1, 1, 0, 1, 10, {9, 0}).begin_s, 203 + reply + rest,
              1e-5);
}

// Large ones that meet: whose reply is read first hands its data over, and answers the other behind them. Rank 1 asks at 12,
// and its request comes at 14, when 0 has its reply since 13.
TEST_F(VirtualStreams, OfTwoThatMeetTheLaterIsAnsweredBehindTheFirst) {
  const MessageCosts costs = in_order(0);
  const Passage first = large_passes_sending_port(costs, large, 0, 0, 1, 1, 2, {11, 5});
  EXPECT_EQ(first.begin_s, 11 + reply + rest);
  EXPECT_EQ(first.end_s, 117);
  const Passage second = large_passes_sending_port(costs, large, 1, 1, 0, 1, 12, {3, 0});
  EXPECT_EQ(second.begin_s, 117 + landing + rest);
  EXPECT_EQ(large_passes_sending_port(costs, large, 1, 1, 0, 1, 12, {3, 0}).begin_s, second.begin_s)
      << "the other side is told the same";
}

// Rank 1 asks at 2 and its request comes at 4, when 0 computes. That posts its receive at 11, asks at 12 and waits: its reply goes behind
// its request, is there at 14, and 1 has replied to the request by then. So both go at once.
TEST_F(VirtualStreams, AnUnreadRequestIsAnsweredBehindTheOwn) {
  const MessageCosts costs = in_order(0);
  note_asked(costs, large, 1, 0, 2, 0);
  note_asked(costs, large, 0, 1, 12, 1);
  EXPECT_NEAR(large_passes_sending_port(costs, large, 1, 1, 0, 1, 2, {11, 1}).begin_s, 12 + reply + rest,
              1e-5);
  EXPECT_NEAR(large_passes_sending_port(costs, large, 0, 0, 1, 1, 12, {1, 0}).begin_s,
              12 + request + reply + rest, 1e-5);
}
// One that 0 has read in a wait until 5 it answers when it posts the receive, before it asks: 1 has the reply at 13, and its data go
// from 17 to 117 in front of the reply to 0.
TEST_F(VirtualStreams, AReadRequestIsAnsweredBeforeTheOwn) {
  const MessageCosts costs = in_order(0);
  note_asked(costs, large, 1, 0, 2, 0);
  note_asked(costs, large, 0, 1, 12, 5);
  EXPECT_EQ(large_passes_sending_port(costs, large, 1, 1, 0, 1, 2, {11, 5}).begin_s, 11 + reply + rest);
  EXPECT_EQ(large_passes_sending_port(costs, large, 0, 0, 1, 1, 12, {1, 0}).begin_s, 117 + landing + rest);
}

// Of a library whose receivers acknowledge data and are then told, two crossings of 2 less.
TEST_F(VirtualStreams, AcknowledgedDataHaveLandedBeforeTheirReceiverIsTold) {
  MessageCosts costs = in_order(0);
  EXPECT_EQ(costs.landing_s(large), landing);
  costs.acknowledged = true;
  EXPECT_EQ(costs.landing_s(large), landing - 4);
}

// Those of 0 leave at 110 and have landed at 116. What says so goes back behind those of 1, which are there at 125 and were handed over before that:
// on a wire of unknown frames a frame of 3 after them, on one with frames of 10 beside their data and handshakes of 12 behind five of these and two times what handshakes
// have more, less four times the software of a small message, 4. Without, or behind what was handed over later, a crossing after 116.
TEST_F(VirtualStreams, WhatAcknowledgesLiesBehindWhatGoesBack) {
  MessageCosts costs = in_order(0);
  costs.acknowledged = true;
  costs.control_frame_s = 3;
  EXPECT_EQ(acknowledged_s(costs, large, 0, 1, 110), 116 + reply);
  note_written(1, 0, 117, 130, 0, 140);
  EXPECT_EQ(acknowledged_s(costs, large, 0, 1, 110), 116 + reply);
  note_written(1, 0, 15, 117, 0, 125);
  EXPECT_EQ(acknowledged_s(costs, large, 0, 1, 110), 125 + 3);
  MessageCosts framed = costs;
  framed.frames = {1000, 10, 0, 1};
  framed.control_frame_s = 12;
  EXPECT_EQ(acknowledged_s(framed, large, 0, 1, 110), 125 + 5 * 10 + 2 * (12 - 10) - 4 * 4);
  // A head of 3 has no room for a request and a reply of 2 each.
  costs.read("8;0:1:0,9:5:0;0:10:1,9:7:1;0:3:0;0:0:1;0:0:0,9:4:0");
  costs.acknowledged = true;
  EXPECT_EQ(costs.head_s(large), 3);
  EXPECT_EQ(acknowledged_s(costs, large, 0, 1, 110), 110 + 3 - 2);
}

// A wait of 1 is over at 11, and 0's request comes at 12, 4 after it is read together. UCX stays in the call for it, so that all that 1 wrote
// after that wait is behind the reply; ob1 does not.
TEST_F(VirtualStreams, WhoReadsOnWritesAfterWhatItStayedFor) {
  rank_1_wrote(11.5, 90, 11);
  EXPECT_EQ(begins_s(10, {11.25, 11}, 4), 12 + reply + rest);
  MessageCosts costs = in_order(4);
  costs.reads_on = false;
  double ready_s = 0;
  large_passes_sending_port(costs, large, 0, 0, 1, 9, 10, {11.25, 11}, &ready_s);
  EXPECT_EQ(ready_s, 90 + reply + rest);
}

TEST_F(VirtualStreams, TellsHowFarARankIs) {
  EXPECT_EQ(progress_s(1), 0);
  note_progress(1, 7.5);
  EXPECT_EQ(progress_s(1), 7.5);
  EXPECT_EQ(progress_s(0), 0);
}

// Data that are ready at 10 pass from then to 110, a byte a second, or behind others from 60 to 160: as in simulation (events/sent_ahead.hpp) their
// send is over when no more than the system takes ahead are to go.
TEST_F(VirtualStreams, OtherSendersGoOnWhenTheirSystemHasTheData) {
  MessageCosts costs = in_order(0);
  EXPECT_EQ(costs.sent_s(large, 10, 110), 110);
  costs.ahead_bytes = 120;
  EXPECT_EQ(costs.sent_s(large, 10, 110), 10);
  EXPECT_EQ(costs.sent_s(large, 10, 160), 40);
  double ready_s = 0;
  large_passes_sending_port(costs, large, 0, 0, 1, 1, 10, {5, 4}, &ready_s);
  EXPECT_EQ(ready_s, 10 + request + reply + rest);
  costs.together_s = -1;
  large_passes_sending_port(costs, large, 0, 0, 1, 2, 10, {5, 4}, &ready_s);
  EXPECT_EQ(ready_s, 10 + request + reply + rest) << "where replies overtake data";
}

}  // namespace
}  // namespace ww::interpose

#include "interpose/core/message_curves.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ww::interpose {
namespace {

// Lines by hand: 1 us + 1 ns a byte, from 100 bytes on 2 us + 3 ns a byte.
TEST(Pieces, TheLastThatBeginsAtOrBeforeTheSize) {
  Pieces pieces;
  EXPECT_STREQ(pieces.read("0:1e-6:1e-9,100:2e-6:3e-9;rest"), ";rest");
  EXPECT_DOUBLE_EQ(pieces.at(0), 1e-6);
  EXPECT_DOUBLE_EQ(pieces.at(99), 1e-6 + 99e-9);
  EXPECT_DOUBLE_EQ(pieces.at(100), 2e-6 + 300e-9);
  EXPECT_DOUBLE_EQ(pieces.at(1u << 30), 2e-6 + 3e-9 * (1 << 30));
  pieces.read("10:1e-6:0");
  EXPECT_EQ(pieces.of(9), nullptr);
  pieces.read(nullptr);
  EXPECT_EQ(pieces.at(9), 0);
}

TEST(MessageCosts, ReadsAllPartsOrNone) {
  MessageCosts costs;
  costs.read("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0");
  EXPECT_TRUE(costs.known);
  EXPECT_EQ(costs.send.at(1), 1);
  EXPECT_EQ(costs.reply.at(1), 5);
  EXPECT_TRUE(costs.rendezvous(65537));
  EXPECT_FALSE(costs.rendezvous(65536));
  costs.read("inf;0:1:0;;0:3:0;;");
  EXPECT_TRUE(costs.known);
  EXPECT_FALSE(costs.rendezvous(~0ull));
  EXPECT_FALSE(costs.in_order(~0ull));
  costs.read("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;7");
  EXPECT_TRUE(costs.known);
  EXPECT_EQ(costs.together_s, 7);
  EXPECT_TRUE(costs.in_order(65537));
  EXPECT_FALSE(costs.in_order(65536)) << "of what has no reply";
  EXPECT_EQ(costs.frames.payload_bytes, 0);
  EXPECT_TRUE(costs.reads_on);
  costs.read("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;7:0");
  EXPECT_TRUE(costs.known);
  EXPECT_FALSE(costs.reads_on);
  costs.read("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;7;1000:100:20:2");
  EXPECT_TRUE(costs.known);
  // 1580 bytes and 20 of the library's fill 1 frame and 600 bytes of a second; as many behind them end at 3200, in a fourth.
  EXPECT_EQ(costs.frames.added_s(0, 1600), 2 * (1600 + 2 * 100));
  EXPECT_EQ(costs.frames.added_s(1600, 1600), 2 * (1600 + 2 * 100));
  EXPECT_EQ(costs.frames.added_s(3200, 1600), 2 * (1600 + 1 * 100));
  EXPECT_EQ(costs.frames.added_s(1600, 300), 2 * 300);
  EXPECT_EQ(costs.meeting.at(1), 0);
  for (const char* before : {"", ";7", ";7:0", ";7;1000:100:20:2"}) {
    costs.read(
        (std::string("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0") + before + ";meeting=0:6:0,9:7:0").c_str());
    EXPECT_TRUE(costs.known) << before;
    EXPECT_EQ(costs.meeting.at(8), 6);
    EXPECT_EQ(costs.meeting.at(9), 7);
    EXPECT_EQ(costs.window_frames, 0);
    costs.read(
        (std::string("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0") + before + ";meeting=0:6:0,9:7:0;window=18")
            .c_str());
    EXPECT_TRUE(costs.known);
    EXPECT_EQ(costs.window_frames, 18);
    EXPECT_EQ(costs.ahead_bytes, 0);
    costs.read((std::string("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0") + before +
                ";meeting=0:6:0;ahead=523840;control=8e-05")
                   .c_str());
    EXPECT_TRUE(costs.known);
    EXPECT_EQ(costs.read_together_s, costs.together_s);
    EXPECT_EQ(costs.window_frames, 0);
    EXPECT_EQ(costs.ahead_bytes, 523840);
    EXPECT_EQ(costs.control_frame_s, 8e-5);
    costs.read((std::string("65536;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0") + before + ";near=6e-05").c_str());
    EXPECT_TRUE(costs.known);
    EXPECT_EQ(costs.read_together_s, 6e-5);
  }
  for (const char* wrong :
       {"1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;1;2:3:4", "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;1;2:3:4:-5",
        "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;1;2:3:4:5:6", "", "x", "1;0:1:0", "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5",
        "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;7:1", "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;",
        "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;-1", "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;meeting=0:6:0;7",
        "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;meeting", "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;window=-1",
        "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;window=18;", "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;ahead=x",
        "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;ahead=1;window=18", "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;control=-1",
        "1;0:1:0;0:2:0;0:3:0;0:4:0;0:5:0;1;"}) {
    costs.read(wrong);
    EXPECT_FALSE(costs.known) << wrong;
  }
  costs.read(nullptr);
  EXPECT_FALSE(costs.known);
}

}  // namespace
}  // namespace ww::interpose

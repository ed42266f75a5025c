// Expected times are the closed forms of a store-and-forward switch, written out in each test.
#include "lab/switch/port_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ww::lab {
namespace {

constexpr std::int64_t egress_limit = 10'000;
// 1.25e6 bytes/s is 10 Mb/s: 800 ns a byte.
constexpr double ten_megabit = 1.25e6;
constexpr std::int64_t byte_ns = 800;

struct Wired {
  explicit Wired(int ports, WireTimes wire = {ten_megabit, 0}) : schedule(ports, wire, egress_limit) {}
  void run_to(std::int64_t now_ns) {
    schedule.advance(
        now_ns, [this](const PortSchedule::Delivery& d) { delivered.push_back(d); },
        [this](std::uint32_t frame) { dropped.push_back(frame); });
  }
  PortSchedule schedule;
  std::vector<PortSchedule::Delivery> delivered;
  std::vector<std::uint32_t> dropped;
};

TEST(PortSchedule, OneFrameIsSerialisedTwiceWithItsOverhead) {
  Wired w(2);
  w.schedule.arrive(0, 1000, 7, 100, 1);
  const std::int64_t due = 1000 + 2 * 124 * byte_ns;
  EXPECT_EQ(w.schedule.next_delivery_ns(1), due);
  w.run_to(due - 1);
  EXPECT_TRUE(w.delivered.empty());
  EXPECT_EQ(w.schedule.next_delivery_ns(1), due);
  w.run_to(due);
  ASSERT_EQ(w.delivered.size(), 1u);
  EXPECT_EQ(w.delivered[0].time_ns, due);
  EXPECT_EQ(w.delivered[0].port, 1);
  EXPECT_EQ(w.delivered[0].frame, 7u);
  EXPECT_EQ(w.schedule.next_delivery_ns(1), PortSchedule::never);
}

TEST(PortSchedule, BackToBackFramesLeaveOneFrameTimeApartHoweverLateTheCallerIs) {
  Wired w(2);
  const std::int64_t frame_ns = (1514 + 24) * byte_ns;
  std::int64_t now = 0;
  std::uint32_t sent = 0;
  // The caller comes 37 us late every time; the frames were ready before.
  while (w.delivered.size() < 50) {
    while (w.schedule.wants(0)) w.schedule.arrive(0, now, sent++, 1514, 1);
    now = std::min(w.schedule.next_delivery_ns(1), w.schedule.next_room_ns(0)) + 37'000;
    w.run_to(now);
  }
  for (std::size_t i = 0; i < w.delivered.size(); ++i)
    EXPECT_EQ(w.delivered[i].time_ns, static_cast<std::int64_t>(i + 2) * frame_ns) << i;
}

TEST(PortSchedule, AFrameThatComesToAnIdlePortStartsWhenItComes) {
  Wired w(2);
  w.schedule.arrive(0, 0, 0, 76, 1);  // 100 bytes on the wire: 80 us a link
  w.run_to(1'000'000);
  w.schedule.arrive(0, 1'000'000, 1, 76, 1);
  w.run_to(2'000'000);
  ASSERT_EQ(w.delivered.size(), 2u);
  EXPECT_EQ(w.delivered[0].time_ns, 160'000);
  EXPECT_EQ(w.delivered[1].time_ns, 1'160'000);
}

TEST(PortSchedule, TwoPortsIntoOneShareItsLinkInOrderOfArrival) {
  Wired w(3);
  w.schedule.arrive(0, 0, 10, 976, 2);       // ingress ends at 800 us
  w.schedule.arrive(1, 10'000, 11, 476, 2);  // ingress ends at 410 us, so it is first out: until 810 us
  w.run_to(10'000'000);
  ASSERT_EQ(w.delivered.size(), 2u);
  EXPECT_EQ(w.delivered[0].frame, 11u);
  EXPECT_EQ(w.delivered[0].time_ns, 810'000);
  EXPECT_EQ(w.delivered[1].frame, 10u);
  EXPECT_EQ(w.delivered[1].time_ns, 1'610'000);
}

// A card's pieces of four full frames and one of three with a short end (1000 bytes), against the same frames one by one: the
// last byte of each piece is with the receiver when its last frame is, with a delay and behind another stream too.
TEST(PortSchedule, AFewFramesHandedOverAtOnceArriveAsTheyWouldOneByOne) {
  for (const std::int64_t delay_ns : {0, 70'000}) {
    constexpr std::int64_t full = 1514, end = 1000;
    Wired singly(3, {ten_megabit, delay_ns}), at_once(3, {ten_megabit, delay_ns});
    for (Wired* w : {&singly, &at_once}) w->schedule.arrive(2, 0, 90, full, 1);
    std::uint32_t sent = 0;
    std::vector<std::uint32_t> last_of_piece;
    for (std::uint32_t piece = 0; piece < 3; ++piece) {
      const std::int64_t frames = piece < 2 ? 4 : 3, last = piece < 2 ? full : end;
      for (std::int64_t i = 0; i < frames; ++i)
        singly.schedule.arrive(0, 5'000, sent++, i + 1 < frames ? full : last, 1);
      last_of_piece.push_back(sent - 1);
      at_once.schedule.arrive(0, 5'000, piece, CardPiece(frames, full, (frames - 1) * full + last), 1);
    }
    EXPECT_LE(at_once.schedule.next_delivery_ns(1), 2 * (full + 24) * byte_ns + delay_ns);
    singly.run_to(PortSchedule::never - 1);
    at_once.run_to(PortSchedule::never - 1);
    ASSERT_EQ(at_once.delivered.size(), 4u);
    ASSERT_EQ(singly.delivered.size(), 12u);
    for (std::uint32_t piece = 0; piece < 3; ++piece) {
      const auto one = std::find_if(singly.delivered.begin(), singly.delivered.end(),
                                    [&](const auto& d) { return d.frame == last_of_piece[piece]; });
      const auto whole = std::find_if(at_once.delivered.begin(), at_once.delivered.end(),
                                      [&](const auto& d) { return d.frame == piece; });
      EXPECT_EQ(whole->time_ns, one->time_ns) << piece << " " << delay_ns;
    }
  }
}

TEST(PortSchedule, NothingIsDueBeforeItIsSaidOfPiecesEither) {
  Wired w(2);
  w.schedule.arrive(0, 0, 0, CardPiece(3, 1514, 3 * 1514), 1);
  w.schedule.arrive(0, 0, 1, 60, 1);
  for (std::size_t delivered = 0; delivered < 2;) {
    const std::int64_t said_ns = w.schedule.next_delivery_ns(1);
    ASSERT_NE(said_ns, PortSchedule::never);
    w.run_to(said_ns - 1);
    ASSERT_EQ(w.delivered.size(), delivered);
    w.run_to(said_ns);
    delivered = w.delivered.size();
  }
  EXPECT_EQ(w.delivered[0].time_ns, 4 * 1538 * byte_ns);
}

TEST(PortSchedule, TheTwoDirectionsDoNotDisturbEachOther) {
  Wired w(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    w.schedule.arrive(0, 0, i, 976, 1);
    w.schedule.arrive(1, 0, 10 + i, 976, 0);
  }
  w.run_to(10'000'000);
  ASSERT_EQ(w.delivered.size(), 4u);
  for (const auto& d : w.delivered) EXPECT_EQ(d.time_ns, d.frame % 10 == 0 ? 1'600'000 : 2'400'000);
}

TEST(PortSchedule, DelayIsAddedOncePerFrameAndDoesNotLowerTheRate) {
  Wired w(2, {ten_megabit, 5'000'000});
  for (std::uint32_t i = 0; i < 3; ++i) w.schedule.arrive(0, 0, i, 976, 1);
  w.run_to(100'000'000);
  ASSERT_EQ(w.delivered.size(), 3u);
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(w.delivered[static_cast<std::size_t>(i)].time_ns, 5'000'000 + (i + 2) * 800'000);
}

// Jitter of 1 ms around a delay of 2 ms at 10 Gb/s, frames 100 us apart: each is later by a draw of 0 to 1 ms or by what the
// frame before it was, so none before 2 ms, none after 3 ms, in their order; and the same seed draws the same.
TEST(PortSchedule, JitterDelaysAndNeverReorders) {
  const WireTimes wire{1.25e9, 2'000'000, 1'000'000};
  const auto play = [&](std::uint64_t seed) {
    PortSchedule schedule(2, wire, 10 * egress_limit, seed);
    std::vector<std::int64_t> later_ns;
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < 500; ++i) schedule.arrive(0, i * 100'000, i, 976, 1);
    schedule.advance(
        PortSchedule::never,
        [&](const PortSchedule::Delivery& d) {
          EXPECT_EQ(d.frame, expected++);
          later_ns.push_back(d.time_ns - d.frame * 100'000 - 2 * 800 - 2'000'000);
        },
        [](std::uint32_t) { ADD_FAILURE() << "nothing is lost"; });
    return later_ns;
  };
  const auto later_ns = play(1);
  ASSERT_EQ(later_ns.size(), 500u);
  for (const std::int64_t late : later_ns) {
    EXPECT_GE(late, 0);
    EXPECT_LE(late, 1'000'000 + 10 * 800) << "and what queues behind those that were held";
  }
  EXPECT_GT(*std::max_element(later_ns.begin(), later_ns.end()), 900'000);
  EXPECT_LT(*std::min_element(later_ns.begin(), later_ns.end()), 500'000);
  EXPECT_EQ(play(1), later_ns);
  EXPECT_NE(play(2), later_ns);
}

// Of 10000 frames 10% are lost: 1000 with a standard deviation of 30; five of them are allowed.
TEST(PortSchedule, LossIsOfTheShareAskedFor) {
  Wired w(2, {0, 0, 0, 0.1});
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    w.schedule.arrive(0, i, i, 100, 1);
    w.run_to(i);
  }
  w.run_to(20'000);
  EXPECT_EQ(w.delivered.size() + w.dropped.size(), 10'000u);
  EXPECT_NEAR(static_cast<double>(w.dropped.size()), 1000, 150);
}

TEST(PortSchedule, ANewRateHoldsForLinksThatBeginAfterIt) {
  Wired w(2);
  w.schedule.arrive(0, 0, 0, 976, 1);  // on its first link until 800 us
  w.schedule.arrive(0, 0, 1, 976, 1);
  w.run_to(100'000);
  w.schedule.set_wire({10 * ten_megabit, 0});
  w.run_to(10'000'000);
  ASSERT_EQ(w.delivered.size(), 2u);
  EXPECT_EQ(w.delivered[0].time_ns, 800'000 + 80'000);
  EXPECT_EQ(w.delivered[1].time_ns, 800'000 + 2 * 80'000);
}

TEST(PortSchedule, WithoutLimitOnlyTheDelayCounts) {
  Wired w(2, {0, 250'000});
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(w.schedule.wants(0));
    w.schedule.arrive(0, 5, i, 1514, 1);
    w.run_to(5);
  }
  EXPECT_EQ(w.schedule.next_delivery_ns(1), 250'005);
  w.run_to(250'005);
  ASSERT_EQ(w.delivered.size(), 100u);
  EXPECT_EQ(w.delivered[99].time_ns, 250'005);
}

TEST(PortSchedule, AHostKeepsItsFramesWhenTwoWait) {
  Wired w(2);  // at 10 Mb/s two full frames wait besides the one on the link
  std::uint32_t taken = 0;
  while (w.schedule.wants(0)) w.schedule.arrive(0, 0, taken++, 1514, 1);
  EXPECT_EQ(taken, 3u);
  // Half of the two that wait has gone then.
  EXPECT_EQ(w.schedule.next_room_ns(0), 1538 * byte_ns + (2 * 1514 + 24) * byte_ns / 2);
  EXPECT_TRUE(w.schedule.busy_for(0, 2 * 1514 * byte_ns));
  EXPECT_FALSE(w.schedule.busy_for(0, 3 * 1514 * byte_ns));
  EXPECT_FALSE(w.schedule.busy_for(1, 0));
}

// Two frames and a piece are taken ahead: a piece that has not come whole leaves the link something to do.
TEST(PortSchedule, AHostThatHandsOverPiecesIsTakenOneMoreOf) {
  constexpr WireTimes single{.rate_bytes_per_s = 1.25e6};
  constexpr WireTimes pieces{.rate_bytes_per_s = 1.25e6, .at_once = 3};
  EXPECT_EQ(single.lookahead_bytes(), 2 * 1514);
  EXPECT_EQ(pieces.lookahead_bytes(), (2 + 3) * 1514);
  EXPECT_EQ(pieces.covered_ns(), (2 + 3) * 1514 * byte_ns);
}

TEST(PortSchedule, WhatDoesNotFitTheEgressQueueIsDropped) {
  Wired w(12);
  // Eleven frames reach port 11 at the same moment: one is on the link, ten of 1000 bytes fill the queue of
  // 10000.
  for (int port = 0; port < 11; ++port)
    w.schedule.arrive(port, 0, static_cast<std::uint32_t>(port), 1000, 11);
  w.run_to(100'000'000);
  EXPECT_EQ(w.delivered.size(), 11u);
  EXPECT_TRUE(w.dropped.empty());
  Wired v(13);
  for (int port = 0; port < 12; ++port)
    v.schedule.arrive(port, 0, static_cast<std::uint32_t>(port), 1000, 12);
  v.run_to(100'000'000);
  EXPECT_EQ(v.delivered.size(), 11u);
  EXPECT_EQ(v.dropped, std::vector<std::uint32_t>{11});
}

TEST(PortSchedule, AFrameToAllReachesAllButItsSender) {
  Wired w(4);
  w.schedule.arrive(2, 0, 5, 76, std::nullopt);
  w.run_to(1'000'000);
  ASSERT_EQ(w.delivered.size(), 3u);
  std::vector<int> ports;
  for (const auto& d : w.delivered) {
    ports.push_back(d.port);
    EXPECT_EQ(d.time_ns, 160'000);
  }
  EXPECT_EQ(ports, (std::vector<int>{0, 1, 3}));
}

}  // namespace
}  // namespace ww::lab

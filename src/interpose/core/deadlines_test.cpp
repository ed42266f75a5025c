#include "interpose/core/deadlines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ww::interpose {
namespace {

constexpr double us = 1e-6;
constexpr uint64_t tick_us = 1000;  // a tick is a nanosecond
constexpr int other = 1;

Pieces line(double base_s, double s_per_byte) {
  Pieces pieces;
  pieces.piece[0] = {0, base_s, s_per_byte};
  pieces.count = 1;
  return pieces;
}

// send 10 us, latency 50 us, receive 5 us, requests and replies 20 us each; messages above 10 kB are large.
MessageCosts costs(double s_per_byte, bool large = false) {
  MessageCosts of;
  of.known = true;
  of.eager_bytes = 10'000;
  of.send = line(10 * us, 0);
  of.reply = line(40 * us, 0);
  of.flight = line((large ? 90 : 50) * us, s_per_byte);
  of.receive = line(5 * us, 0);
  of.port = line(0, s_per_byte);
  return of;
}

uint64_t received(Deadlines& deadlines, SeenMessage* messages, int count, const SeenCall& call,
                  uint64_t from) {
  uint64_t arrived = 0;
  return deadlines.received(messages, count, call, from, arrived);
}

// D = 10 for a wire ten times as fast: the bytes take as long as they did, all else ten times as long.
struct FasterWire : testing::Test {
  NetworkCosts machine, target;
  Deadlines deadlines{machine, target};
  explicit FasterWire(bool large = false) {
    machine.inter = costs(100e-9, large);
    target.inter = costs(10e-9, large);
    deadlines.set(10, 1e9);
  }
  static SeenCall waited(uint64_t from_us, uint64_t back_us) {
    return {from_us * tick_us, back_us * tick_us, true, 2 * us};
  }
  uint64_t received_us(SeenMessage message, const SeenCall& call) {
    return received(deadlines, &message, 1, call, call.entered) / tick_us;
  }
};
struct FasterWireLarge : FasterWire {
  FasterWireLarge() : FasterWire(true) {}
};

// T' = D (latency' + bytes' + receive') after the sender's software, whether the receiver waited or came
// later.
TEST_F(FasterWire, OneMessageTakesItsTimeOnTheOtherNetwork) {
  const SeenMessage message{true, 1000, 100 * tick_us, 100 * tick_us, other};
  // here it came at 100 + 10 + 50 + 100 and was unpacked after 5 more
  EXPECT_EQ(received_us(message, waited(120, 265)), 110 + 500 + 100 + 50);
}
TEST_F(FasterWire, WhoComesLaterWaitsForNothingButTheUnpacking) {
  const SeenMessage message{true, 1000, 100 * tick_us, 100 * tick_us, other};
  EXPECT_EQ(received_us(message, waited(2000, 2002)), 2000 + 50);
}
TEST_F(FasterWire, WhoComesInBetweenWaitsForTheRest) {
  const SeenMessage message{true, 1000, 100 * tick_us, 100 * tick_us, other};
  EXPECT_EQ(received_us(message, waited(400, 402)), 110 + 500 + 100 + 50);
}

// Two messages of one exchange (NPB's mg: both sides send two planes, then wait for the second first). The
// wire takes one after the other in the order of sending, so that the first is there when the second is,
// whoever asks first.
TEST_F(FasterWire, WaitsInTheOtherOrderDoNotQueueBehindEachOther) {
  const uint64_t first = deadlines.departs(true, 1000, 0),
                 second = deadlines.departs(true, 1000, 10 * tick_us);
  EXPECT_EQ(second / tick_us, 100u) << "the port sends one at a time";
  const uint64_t after = received_us({true, 1000, second, 0, other}, waited(20, 265));
  EXPECT_EQ(after, 110 + 500 + 100 + 50u);
  const uint64_t both = received_us({true, 1000, first, 0, other}, waited(after, after + 1));
  EXPECT_EQ(both, after + 50) << "only its unpacking is left";
}

// The same when the machine was slower than its model at that moment (the second came 40 us late): where the
// first was is told by the second.
TEST_F(FasterWire, WhatWasSentBeforeWasThereBefore) {
  const uint64_t after = received_us({true, 1000, 100 * tick_us, 0, other}, waited(20, 305));
  EXPECT_EQ(received_us({true, 1000, 0 + tick_us, 0, other}, waited(after, after + 1)), after + 50);
}

// One each way at the same time on a wire without latency, 30 us of the host's more on either machine if they meet: those pass here
// once, and D times there.
struct Meeting : FasterWire {
  Meeting() {
    machine.inter.flight = machine.inter.port;
    target.inter.flight = target.inter.port;
    machine.inter.meeting = target.inter.meeting = line(30 * us, 0);
  }
};
TEST_F(Meeting, WhatMessagesThatMeetLoseIsTheHosts) {
  const uint64_t departed = deadlines.departs(true, 1000, 90 * tick_us);  // after D send' - send
  const SeenMessage message{true, 1000, departed, departed, other};
  const SeenCall call{departed, departed + (10 + 100 + 30 + 5) * tick_us, true, 2 * us};
  EXPECT_EQ(received_us(message, call), 10 * (10 + 10 + 30 + 5u));
}
TEST_F(Meeting, NothingIsLostWhereNothingIsSent) {
  const SeenMessage message{true, 1000, 90 * tick_us, 0, other};
  EXPECT_EQ(received_us(message, waited(90, 90 + 10 + 100 + 5)), 10 * (10 + 10 + 5u));
}
// The own one leaves at 600 and keeps its port for 100. The other one comes from 650 to 750, if it is alone.
TEST_F(Meeting, HalfAMeetingCostsHalf) {
  deadlines.departs(true, 1000, 590 * tick_us);
  const SeenMessage message{true, 1000, 640 * tick_us, 0, other};
  EXPECT_EQ(received_us(message, waited(755, 757)), 750 + 150 + 50u);
}

// One each way at the same time: both take what one of them takes alone.
TEST_F(FasterWire, MessagesThatMeetDoNotWaitForEachOther) {
  Deadlines& here = deadlines;
  Deadlines there(machine, target);
  there.set(10, 1e9);
  for (Deadlines* rank : {&here, &there}) {
    uint64_t now = 0;
    for (int step = 1; step <= 5; ++step) {
      const uint64_t departed = rank->departs(true, 1000, now + 90 * tick_us);  // after D send' - send
      SeenMessage message{true, 1000, departed, departed, other};
      const SeenCall call{departed, departed + 165 * tick_us, true, 2 * us};
      now = received(*rank, &message, 1, call, call.entered);
      EXPECT_EQ(now / tick_us, step * 10 * (10 + 50 + 10 + 5)) << "D T', step " << step;
    }
  }
}

// All of a window are there long before the call: only unpacking is left, for each.
TEST_F(FasterWire, MessagesOfOneCallAreUnpackedOneAfterTheOther) {
  std::vector<SeenMessage> window;
  for (int i = 0; i < 8; ++i) window.push_back({true, 1000, (1 + i * 100) * tick_us, 1, other});
  const SeenCall call = waited(5000, 5003);
  EXPECT_EQ(received(deadlines, window.data(), 8, call, call.entered) / tick_us, 5000 + 8 * 50);
}
// The last is waited for: the others are unpacked while it is on its way.
TEST_F(FasterWire, UnpackingOverlapsWithWhatIsOnItsWay) {
  std::vector<SeenMessage> window;
  for (int i = 0; i < 8; ++i) window.push_back({true, 1000, 1 + i * 100 * tick_us, 1, other});
  const SeenCall call = waited(5, 865);
  EXPECT_EQ(received(deadlines, window.data(), 8, call, call.entered) / tick_us, 10 + 500 + 800 + 50);
}

// Frames of 1000 bytes and 100 beside: 1600 bytes alone take 180 us of a port at 10 ns a byte and D = 10, in full frames 176. Twenty that
// come that far apart are not held back for longer and longer; where they come 20 us apart, from elsewhere, each takes 176.
TEST_F(FasterWire, AStreamSharesFrames) {
  target.inter.port = line(18 * us, 0);
  target.inter.frames = {1000, 100, 0, 10e-9};
  for (const uint64_t apart_us : {176u, 20u}) {
    Deadlines stream(machine, target);
    stream.set(10, 1e9);
    uint64_t now = 0, first = 0;
    for (uint64_t k = 0; k < 20; ++k) {
      const uint64_t came = (3000 + apart_us * k) * tick_us;
      const SeenCall call{now, std::max(came, now + 30 * tick_us), true, 2 * us};
      SeenMessage message{true, 1600, came - 220 * tick_us, 1,
                          other};  // 10 us of software, 50 and 160 on its way
      now = std::max(call.back, received(stream, &message, 1, call, now));
      if (k == 0) first = now;
    }
    EXPECT_NEAR(static_cast<double>(now - first) / tick_us, 19 * 176, 60) << apart_us;
  }
}

// Frames of 1000 bytes and 80 beside, at 100 ns a byte and D = 10: who reads a second small message of a peer before it has sent
// it one acknowledges both, which keeps its port for 80 us (simulate/networks/small_acknowledgements.hpp). Here that takes 80 ns.
struct Acknowledging : testing::Test {
  NetworkCosts machine, target;
  Deadlines deadlines{machine, target};
  Acknowledging() {
    machine.inter = target.inter = costs(0);
    machine.inter.frames = {1000, 80, 0, 1e-9};
    target.inter.frames = {1000, 80, 0, 100e-9};
    deadlines.set(10, 1e9);
  }
  // Until when what is sent then waits; 0: it does not.
  uint64_t read_at(uint64_t now_us, int from, uint64_t bytes = 8) {
    SeenMessage message{true, bytes, (now_us - 1000) * tick_us, 1, from};
    const SeenCall call{now_us * tick_us, (now_us + 2) * tick_us, true, 2 * us};
    received(deadlines, &message, 1, call, call.entered);
    const uint64_t until = deadlines.sending_port().there;
    return until > now_us * tick_us ? until : 0;
  }
  void send_at(uint64_t now_us, int to) { deadlines.departs(true, 8, now_us * tick_us, to); }
};
TEST_F(Acknowledging, TheSecondSmallMessageIsToldByAFrame) {
  EXPECT_EQ(read_at(10'000, other), 0u);
  EXPECT_EQ(read_at(20'000, other + 1), 0u) << "another peer's first";
  const uint64_t until = read_at(30'000, other);
  EXPECT_EQ(until, (30'000 + 80) * tick_us);
  EXPECT_EQ(deadlines.sending_port().here, 30'002 * tick_us + 80) << "when the call came back here";
  EXPECT_EQ(deadlines.departs(true, 8, 30'020 * tick_us, other), until);
  EXPECT_EQ(read_at(40'000, other), 0u) << "told with what was sent";
}
TEST_F(Acknowledging, WhatIsSentInBetweenTells) {
  for (uint64_t k = 1; k < 5; ++k) {
    EXPECT_EQ(read_at(k * 10'000, other), 0u);
    send_at(k * 10'000 + 5000, other);
  }
}
TEST_F(Acknowledging, WhatCameBeforeTheLastSendIsToldThough) {
  EXPECT_EQ(read_at(10'000, other), 0u);
  send_at(20'000, other);
  EXPECT_EQ(read_at(20'100, other), 0u) << "there since 19 200, read after the send";
  EXPECT_EQ(read_at(30'000, other), 0u) << "and so the first";
}
TEST_F(Acknowledging, FullFramesAreToldWhenTheyCome) {
  EXPECT_EQ(read_at(10'000, other), 0u);
  EXPECT_EQ(read_at(20'000, other, 1000), 0u);
  EXPECT_EQ(read_at(30'000, other), 0u);
}
TEST_F(Acknowledging, CollectivesCount) {
  deadlines.read(other, 8, 9000 * tick_us, 10'000 * tick_us, 9500 * tick_us);
  EXPECT_EQ(read_at(20'000, other), (20'000 + 80) * tick_us);
  EXPECT_EQ(read_at(30'000, other), 0u);
  deadlines.told(other, 35'000 * tick_us);
  EXPECT_EQ(read_at(40'000, other), 0u);
  deadlines.read(other, 8, 49'000 * tick_us, 50'000 * tick_us, 49'500 * tick_us);
  EXPECT_EQ(deadlines.sending_port().there, (50'000 + 80) * tick_us);
  EXPECT_EQ(deadlines.sending_port().here, 49'500 * tick_us + 80);
}

// A wire half as fast, no stretching: three messages keep the port three times as long, in any order of
// waiting.
TEST(Deadlines, ASlowerPortIsThroughAtTheSameTimeInAnyOrder) {
  NetworkCosts machine, target;
  machine.inter = costs(100e-9);
  target.inter = costs(200e-9);
  std::vector<int> order{0, 1, 2};
  do {
    Deadlines deadlines(machine, target);
    deadlines.set(1, 1e9);
    std::vector<SeenMessage> messages;
    for (int i = 0; i < 3; ++i)
      messages.push_back({true, 1000, deadlines.departs(true, 1000, tick_us), 1, other});
    uint64_t now = 2000 * tick_us;  // all are there
    for (const int i : order) {
      const SeenCall call{now, now + tick_us, true, 2 * us};
      now = std::max(call.back, received(deadlines, &messages[static_cast<std::size_t>(i)], 1, call, now));
    }
    EXPECT_EQ(now / tick_us, 2000u + 3 * 5);
    // and while the last is waited for: nobody is through before three times 200 us
    Deadlines waiting(machine, target);
    waiting.set(1, 1e9);
    now = 0;
    for (const int i : order) {
      const uint64_t came = (1 + 10 + 50 + 100 * (static_cast<uint64_t>(i) + 1)) * tick_us;
      const SeenCall call{now, std::max(now + tick_us, came + 5 * tick_us), true, 2 * us};
      SeenMessage message{true, 1000, tick_us + static_cast<uint64_t>(i) * 200 * tick_us, 1, other};
      now = std::max(call.back, received(waiting, &message, 1, call, now));
    }
    EXPECT_GE(now / tick_us, 1 + 10 + 50 + 3 * 200u);
    EXPECT_LE(now / tick_us, 1 + 10 + 50 + 3 * 200 + 3 * 5 + 5u);
  } while (std::next_permutation(order.begin(), order.end()));
}

// A large message's sender is free when the data have left: it does not wait for their arrival.
TEST_F(FasterWireLarge, ASenderWaitsUntilTheDataHaveLeft) {
  constexpr uint64_t bytes = 100'000;  // 10 ms at the port
  const uint64_t departed = 100 * tick_us, back = departed + (10 + 40 + 10'000) * tick_us;
  EXPECT_EQ(deadlines.sent(true, bytes, departed, {departed, back, true, 0}) / tick_us,
            100 + 10 + 400 + 10'000u);
  EXPECT_EQ(deadlines.sent(true, bytes, departed, {back + tick_us, back + 2 * tick_us, true, 0}) / tick_us,
            100 + 10 + 400 + 10'000u)
      << "found complete: not sooner than on the other network";
  // a socket took the data at once: it would there, too
  EXPECT_EQ(deadlines.sent(true, bytes, departed, {departed, departed + 700 * tick_us, true, 0}) / tick_us,
            100 + 700 + 360u);
  EXPECT_EQ(deadlines.sent(true, 1000, departed, {departed, departed + 5 * tick_us, true, 0}), 0u)
      << "a small one is out of its hands";
}

// Where it is known when large messages' data go (SeenMessage::wanted), one has come then, whenever it really came and whatever was sent meanwhile, and
// is unpacked for D times 5 us; what comes later passes the port, of 1 ms on the target, after it. One that is sent keeps no port, and its request
// waits for no more than its own software.
TEST_F(FasterWireLarge, ThoseThatGoInTurnComeWhenTheyAreSaidTo) {
  constexpr uint64_t bytes = 100'000;
  target.inter.together_s = 0;
  deadlines.data_go_in_turn();
  EXPECT_EQ(deadlines.departs(true, bytes, 1000 * tick_us), 1000 * tick_us);
  EXPECT_EQ(deadlines.departs(true, 1000, 1001 * tick_us), 1001 * tick_us);
  EXPECT_NEAR(deadlines.more_send_s(true, bytes), (10 * 10 - 10) * us, 1e-12);
  target.inter.send = line(10 * us, 1e-9);
  EXPECT_NEAR(deadlines.more_send_s(true, bytes), (10 * 10 - 10) * us, 1e-7);
  SeenMessage message{true, bytes, 100 * tick_us, 1, other};
  message.wanted = 30'000 * tick_us;
  EXPECT_EQ(received_us(message, waited(200, 11'000)), 30'000 + 50u);
  message.wanted = 33'000 * tick_us;
  EXPECT_EQ(received_us(message, waited(30'100, 30'200)), 30'000 + 10'000 + 50u);
}

// The data of a large message come when both sides are ready: request, posting, reply, flight.
TEST_F(FasterWireLarge, ALateReceiverGetsTheDataAReplyAndAFlightLater) {
  constexpr uint64_t bytes = 100'000;
  const uint64_t posted = 50'000;  // us
  const uint64_t back = posted + 20 + 50 + 10'000 + 5;
  EXPECT_EQ(received_us({true, bytes, 100 * tick_us, posted * tick_us, other}, waited(posted, back)),
            posted + 200 + 500 + 10'000 + 50);
}
// Both send a large one and then wait for the other's (MPI_Irecv, MPI_Send, MPI_Wait): the two pass each
// other.
TEST_F(FasterWireLarge, LargeMessagesThatMeetTakeTheTimeOfOne) {
  constexpr uint64_t bytes = 100'000;
  const uint64_t departed = 90 * tick_us, out = departed + (10 + 40 + 10'000) * tick_us;
  const uint64_t sent = deadlines.sent(true, bytes, departed, {departed, out, true, 0});
  const uint64_t after =
      received_us({true, bytes, departed, 1, other}, waited(sent / tick_us, sent / tick_us + 1));
  EXPECT_EQ(after, 10 * (10 + 40 + 50 + 1'000 + 5u)) << "D T' of one message";
}

// The program sets D = 4. Of what is asked for by a what-if 4 times the target's costs pass; 1000 bytes would take 4 * (50 + 10)
// us there and take 150 here. Where the wire is to be D times as fast as this one (S3), it takes what it takes here, and
// software four times as long.
TEST_F(FasterWire, AnotherDHoldsBackWhatItAsksFor) {
  deadlines.change(4, false);
  EXPECT_NEAR(deadlines.more_send_s(true, 1000), 30 * us, 1e-12);
  EXPECT_NEAR(deadlines.more_flight_s(true, 1000), (4 * 60 - 150) * us, 1e-12);
  EXPECT_NEAR(deadlines.more_receive_s(true, 1000), 15 * us, 1e-12);
}
TEST(Deadlines, AWireThatFollowsDTakesWhatItTakesHere) {
  NetworkCosts machine, target;
  machine.inter = target.inter = costs(100e-9);
  target.inter.flight = line(5 * us, 10e-9);  // ten times as fast, software as it is
  target.inter.port = line(0, 10e-9);
  Deadlines deadlines(machine, target);
  deadlines.set(10, 1e9);
  EXPECT_NEAR(deadlines.more_flight_s(true, 1000), 0, 1e-12);
  for (const double factor : {1.0, 4.0, 20.0}) {
    deadlines.change(factor, true);
    EXPECT_NEAR(deadlines.more_flight_s(true, 1000), 0, 1e-12);
    EXPECT_NEAR(deadlines.more_send_s(true, 1000), (factor - 1) * 10 * us, 1e-12);
    EXPECT_NEAR(deadlines.more_receive_s(true, 1000), (factor - 1) * 5 * us, 1e-12);
  }
}

TEST(Deadlines, WhatIsNotKnownIsNotHeldBack) {
  NetworkCosts machine, target;
  Deadlines deadlines(machine, target);
  deadlines.set(4, 1e9);
  EXPECT_FALSE(deadlines.known());
  EXPECT_EQ(deadlines.departs(true, 1000, 7), 7u);
  EXPECT_EQ(deadlines.sent(true, 1 << 20, 7, {7, 9, true, 0}), 0u);
}

}  // namespace
}  // namespace ww::interpose

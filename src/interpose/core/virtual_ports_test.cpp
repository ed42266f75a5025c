#include "interpose/core/virtual_ports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace ww::interpose {
namespace {

TEST(PortTimes, OneAtATime) {
  PortTimes port{};
  EXPECT_EQ(port.take(10, 2).end_s, 12);
  EXPECT_EQ(port.take(10, 2).end_s, 14) << "behind the first";
  EXPECT_EQ(port.take(20, 1).end_s, 21);
  EXPECT_EQ(port.take(5, 3).end_s, 8) << "before it, though it came later in real time";
  EXPECT_EQ(port.take(7, 0).end_s, 7) << "nothing takes nothing";
}

// 9 to 10, and what is left after 14.
TEST(PortTimes, GapsAreUsedInPieces) {
  PortTimes port{};
  port.take(10, 4);
  EXPECT_EQ(port.take(9, 2).end_s, 15);
  EXPECT_EQ(port.take(9, 1).end_s, 16);
  EXPECT_EQ(port.take(8, 1).end_s, 9);
  EXPECT_EQ(port.take(12, 1).begin_s, 16) << "the first that is free";
}

// A server that is never idle while somebody waits is through with everything at the same time whatever the
// order (Lindley's recursion in the order of arrival gives it).
TEST(PortTimes, IsThroughAtTheSameTimeInAnyOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    struct Job {
      double from, length;
    };
    std::vector<Job> jobs(std::uniform_int_distribution<std::size_t>(1, 60)(random));
    for (Job& job : jobs) {
      job.from = std::uniform_int_distribution<int>(0, 100)(random);
      job.length = std::uniform_int_distribution<int>(0, 4)(random);
    }
    std::vector<Job> in_order = jobs;
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const Job& a, const Job& b) { return a.from < b.from; });
    double free_at = 0;
    for (const Job& job : in_order)
      if (job.length > 0) free_at = std::max(free_at, job.from) + job.length;
    PortTimes port{};
    double last = 0;
    for (const Job& job : jobs) {
      const double end = port.take(job.from, job.length).end_s;
      EXPECT_GE(end, job.from + job.length);
      if (job.length > 0) last = std::max(last, end);
    }
    EXPECT_EQ(last, free_at);
  }
}

// Of more intervals than are remembered the oldest are forgotten, never the latest.
TEST(PortTimes, ForgetsTheOldest) {
  PortTimes port{};
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(port.take(10.0 * i, 1).end_s, 10.0 * i + 1);
  EXPECT_EQ(port.take(9990, 1).end_s, 9992);
  EXPECT_EQ(port.take(0, 1).end_s, 1) << "free again, for all that is known";
}

class Ports : public testing::Test {
 protected:
  Ports() : memory_(ports_memory(2, 3)) { start_ports(memory_.data(), 2, 3); }

 private:
  std::vector<char> memory_;
};

TEST_F(Ports, HostsHaveTheirOwnInBothDirections) {
  EXPECT_EQ(pass_sending_port(0, 1, 1).end_s, 2);
  EXPECT_EQ(pass_sending_port(0, 1, 1).end_s, 3);
  EXPECT_EQ(pass_sending_port(1, 1, 1).end_s, 2);
  EXPECT_EQ(pass_receiving_port(0, {0, 1}, 1, 1, 0), 2);
  EXPECT_EQ(pass_receiving_port(0, {0, 1}, 1, 1, 0), 3) << "behind the first";
}

// Two hosts, one wire as fast as their ports: what waited at the first does not wait at the second as well.
TEST_F(Ports, AQueueIsWaitedInOnce) {
  const Passage first = pass_sending_port(0, 10, 5), earlier = pass_sending_port(0, 8, 5);
  EXPECT_EQ(first.end_s, 15);
  EXPECT_EQ(earlier.begin_s, 8);
  EXPECT_EQ(earlier.end_s, 18) << "in pieces";
  EXPECT_EQ(pass_receiving_port(1, first, 100, 5, 0), 115);
  EXPECT_EQ(pass_receiving_port(1, earlier, 100, 5, 0), 118);
}

// As in simulation (networks/ports.hpp), by hand: two of 10 s at half their rate while both pass, the one 4 s later. After 12 s,
// 6 s of each under way at half the rate, the first is through at 16; the other has 4 left, at full rate.
TEST_F(Ports, MessagesThatMeetAreSlowerWhileTheyDo) {
  pass_sending_port(0, 0, 10);
  EXPECT_EQ(pass_receiving_port(0, {4, 14}, 0, 10, 10), 20);
  EXPECT_EQ(pass_receiving_port(0, {20, 30}, 0, 10, 10), 30) << "when nothing is sent";
  EXPECT_EQ(pass_receiving_port(1, {4, 14}, 0, 10, 10), 14) << "another host's";
  PortTimes receiving{}, sending{};
  sending.take(0, 10);
  EXPECT_EQ(pass_receiving_port(receiving, sending, {0, 10}, 0, 10, 10), 20) << "all the while";
}

// As in simulation (networks/tcp_windows_test.cpp): frames of a millisecond, a window of 18. 54 frames are three windows and stand still twice for 13
// frames, as 50 ms are to go in the other direction; 40 after that a window of 21, once. Whoever goes first, and where no window is known, does not.
TEST_F(Ports, ALargeMessageStandsStillBehindWhatGoesBack) {
  MessageCosts costs;
  costs.frames = {960, 40, 0, 1e-6};
  costs.window_frames = 18;
  pass_sending_port(1, 0, 50e-3, &costs);
  EXPECT_NEAR(pass_sending_port(0, 0, 54e-3, &costs).end_s, 80e-3, 1e-12);
  pass_sending_port(1, 1, 60e-3, &costs);
  EXPECT_NEAR(data_pass_sending_port(0, 0, 1, 1, 1, 40e-3, nullptr, &costs).end_s, 1.053, 1e-12);
  EXPECT_NEAR(data_pass_sending_port(0, 0, 1, 1, 1, 40e-3, nullptr, &costs).end_s, 1.053, 1e-12) << "once";
  pass_sending_port(1, 3, 60e-3);
  EXPECT_NEAR(pass_sending_port(0, 3, 60e-3).end_s, 3.06, 1e-12);
  PortTimes own{}, back{};
  back.take(0, 50e-3);
  TcpWindow window;
  EXPECT_NEAR(pass_sending_port(own, back, window, costs, 0, 54e-3, 7).end_s, 80e-3, 1e-12);
  // Ten times as slow as on the wire, in a dilated run.
  costs.stretched = 10;
  PortTimes slow_own{}, slow_back{};
  slow_back.take(0, 500e-3);
  TcpWindow another;
  EXPECT_NEAR(pass_sending_port(slow_own, slow_back, another, costs, 0, 540e-3, 7).end_s, 800e-3, 1e-12);
}

// 90 frames stand still twice, as the first of the two that go back lasts for two windows more: four times if the second counted.
TEST_F(Ports, ALargeMessageStandsStillBehindOneMessage) {
  MessageCosts costs;
  costs.frames = {960, 40, 0, 1e-6};
  costs.window_frames = 18;
  pass_sending_port(1, 0, 50e-3, &costs);
  pass_sending_port(1, 0, 50e-3, &costs);
  EXPECT_NEAR(pass_sending_port(0, 0, 90e-3, &costs).end_s, 116e-3, 1e-12);
}

TEST_F(Ports, ALargeMessagePassesOnceWhoeverAsks) {
  EXPECT_EQ(data_pass_sending_port(0, 0, 2, 1, 5, 2).end_s, 7);
  EXPECT_EQ(data_pass_sending_port(0, 0, 2, 1, 5, 2).end_s, 7) << "the other side";
  EXPECT_EQ(data_pass_sending_port(0, 0, 2, 2, 5, 2).end_s, 9) << "the next message";
  EXPECT_EQ(data_pass_sending_port(0, 1, 2, 1, 5, 2).end_s, 11) << "of another rank of that host";
  EXPECT_EQ(data_pass_sending_port(0, 1, 2, 0, 5, 2).end_s, 13) << "whose number is not known";
}

}  // namespace
}  // namespace ww::interpose

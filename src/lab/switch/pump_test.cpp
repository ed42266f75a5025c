#include "lab/switch/pump.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lab/switch/port_schedule.hpp"

namespace ww::lab {
namespace {

constexpr Mac first{2, 0, 0, 0, 0, 1}, second{2, 0, 0, 0, 0, 2};

// Two hosts whose cards are socket pairs that keep the bounds of frames, as a TAP does.
class TwoHosts : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int host = 0; host < 2; ++host) {
      int ends[2];
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
      taps_.push_back(ends[0]);
      cards_.push_back(ends[1]);
    }
  }
  void TearDown() override {
    for (const int fd : taps_) close(fd);
    for (const int fd : cards_) close(fd);
  }
  Pump pump(WireTimes wire, const std::vector<int>& cores) {
    return Pump(taps_, {first, second}, std::make_unique<PortSchedule>(2, wire, 512 * 1024), cores);
  }
  std::vector<int> taps_, cards_;
};

std::vector<std::uint8_t> frame(const Mac& to, const Mac& from, std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  std::copy(to.begin(), to.end(), data.begin());
  std::copy(from.begin(), from.end(), data.begin() + 6);
  return data;
}

// Hands are started and stopped as often as labs are: each must be done with what start() gave it. Under the
// thread sanitizer this is a test of the hand-over.
TEST_F(TwoHosts, HandsStartAndStop) {
  for (int time = 0; time < 200; ++time) {
    Pump both = pump({}, {-1, -1});
    both.start();
    both.stop();
  }
}

TEST_F(TwoHosts, FramesPassBothWaysWhileTheWireChanges) {
  Pump both = pump({.rate_bytes_per_s = 125e6}, {-1, -1});
  both.start();
  constexpr int rounds = 200;
  int arrived = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto there = frame(second, first, 64 + static_cast<std::size_t>(round));
    const auto back = frame(first, second, 200);
    ASSERT_EQ(write(cards_[0], there.data(), there.size()), static_cast<ssize_t>(there.size()));
    ASSERT_EQ(write(cards_[1], back.data(), back.size()), static_cast<ssize_t>(back.size()));
    both.set_wire({.rate_bytes_per_s = round % 2 == 0 ? 12.5e6 : 125e6});
    for (const int host : {1, 0}) {
      pollfd card{cards_[static_cast<std::size_t>(host)], POLLIN, 0};
      ASSERT_EQ(poll(&card, 1, 5000), 1) << round;
      std::uint8_t data[2048];
      const ssize_t length = read(card.fd, data, sizeof data);
      EXPECT_EQ(length, static_cast<ssize_t>(host == 1 ? there.size() : back.size()));
      ++arrived;
    }
  }
  both.stop();
  EXPECT_EQ(both.counters().frames.load(), static_cast<std::uint64_t>(arrived));
  EXPECT_EQ(both.counters().dropped.load(), 0u);
}

}  // namespace
}  // namespace ww::lab

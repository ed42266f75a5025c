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
  Pump pump(WireTimes wire, const std::vector<int>& cores, Pump::Header header = Pump::Header::none) {
    return Pump(taps_, {first, second}, std::make_unique<PortSchedule>(2, wire, 512 * 1024), cores, header);
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

// As the virtio specification 1.2 has it (5.1.6): flags, kind (1: TCP over IPv4), 2 bytes hint, 2 bytes payload of a frame,
// 4 bytes check sum; little endian.
std::vector<std::uint8_t> with_header(std::uint8_t kind, std::uint16_t payload,
                                      const std::vector<std::uint8_t>& frame) {
  std::vector<std::uint8_t> out = {
      0, kind, 0, 0, static_cast<std::uint8_t>(payload & 255), static_cast<std::uint8_t>(payload >> 8),
      0, 0,    0, 0};
  out.insert(out.end(), frame.begin(), frame.end());
  return out;
}

// 4000 bytes of TCP behind headers of 14, 20 and 32 bytes, 1448 to a frame: 3 frames, 4066 + 2 * 66 bytes in all. They come as
// they went, and not before three frames and one more have crossed a link of 10 Mb/s (800 ns a byte, 24 of each frame beside).
TEST_F(TwoHosts, PiecesOfSeveralFramesTakeAsLongAsTheirFrames) {
  Pump both = pump({.rate_bytes_per_s = 1.25e6}, {-1}, Pump::Header::virtio);
  both.start();
  auto inside = frame(second, first, 66 + 4000);
  inside[14] = 0x45;
  inside[14 + 20 + 12] = 8 << 4;
  const auto piece = with_header(1, 1448, inside);
  const std::int64_t start_ns = Pump::now_ns();
  ASSERT_EQ(write(cards_[0], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
  pollfd card{cards_[1], POLLIN, 0};
  ASSERT_EQ(poll(&card, 1, 5000), 1);
  EXPECT_GE(Pump::now_ns() - start_ns, (4066 + 2 * 66 + 3 * 24 + 1514 + 24) * 800);
  std::vector<std::uint8_t> got(8192);
  got.resize(static_cast<std::size_t>(read(card.fd, got.data(), got.size())));
  EXPECT_EQ(got, piece);
  both.stop();
  EXPECT_EQ(both.counters().frames.load(), 3u);
  EXPECT_EQ(both.counters().bytes.load(), 4066u + 2 * 66);
}

// What says of itself that it is several frames and is not is one frame, as long as it is.
TEST_F(TwoHosts, HeadersThatMakeNoSenseAreOfOneFrame) {
  Pump both = pump({}, {-1}, Pump::Header::virtio);
  both.start();
  std::uint64_t sent = 0;
  for (const int kind : {0, 1, 4, 129, 255})
    for (const int payload : {0, 1, 1448, 65535})
      for (const std::size_t bytes : {14, 53, 54, 60, 1514}) {
        auto inside = frame(second, first, bytes);
        std::fill(inside.begin() + 14, inside.end(), 255);  // headers of 60 bytes each
        const auto piece =
            with_header(static_cast<std::uint8_t>(kind), static_cast<std::uint16_t>(payload), inside);
        ASSERT_EQ(write(cards_[0], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
        pollfd card{cards_[1], POLLIN, 0};
        ASSERT_EQ(poll(&card, 1, 5000), 1);
        std::uint8_t data[2048];
        EXPECT_EQ(read(card.fd, data, sizeof data), static_cast<ssize_t>(piece.size()));
        const bool several = (kind == 1 || kind == 129) && bytes == 1514 && payload > 0 && payload < 1000;
        sent += several ? 1380 : 1;
      }
  both.stop();
  EXPECT_EQ(both.counters().frames.load(), sent);
  EXPECT_EQ(both.counters().dropped.load(), 0u);
}

}  // namespace
}  // namespace ww::lab

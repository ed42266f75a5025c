// Expected times are arithmetic on the standard's bit times (ether/csma_bus_test.cpp checks the rules
// themselves), or those of the same bus that is given its frames directly.
#include "lab/switch/bus_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ww::lab {
namespace {

// 1.25e6 bytes/s is 10 Mb/s: 800 ns a byte. Signals take 1 us.
constexpr double ten_megabit = 1.25e6;
constexpr std::int64_t byte_ns = 800, signal_ns = 1000, gap_ns = 9600;
constexpr std::int64_t start_ns = 1'000'000'000'000'000;  // 12 days after the machine's

struct Wired {
  explicit Wired(int ports, std::uint64_t seed = 1, WireTimes wire = {ten_megabit, 0})
      : schedule(ports, wire, seed, start_ns) {}
  void run_to(std::int64_t now_ns) {
    schedule.advance(
        start_ns + now_ns,
        [this](const Timetable::Delivery& d) {
          delivered.push_back(d);
          delivered.back().time_ns -= start_ns;
        },
        [this](std::uint32_t frame) { dropped.push_back(frame); });
  }
  void arrive(int port, std::int64_t time_ns, std::uint32_t frame, std::int64_t bytes,
              std::optional<int> to) {
    schedule.arrive(port, start_ns + time_ns, frame, bytes, to);
  }
  std::int64_t next_delivery_ns(int port) const {
    const std::int64_t next = schedule.next_delivery_ns(port);
    return next == Timetable::never ? next : next - start_ns;
  }
  BusSchedule schedule;
  std::vector<Timetable::Delivery> delivered;
  std::vector<std::uint32_t> dropped;
};

TEST(BusSchedule, AFrameIsOnTheWireOnceWithPreambleAndCheckSequence) {
  Wired w(2);
  w.arrive(0, 500, 7, 100, 1);
  const std::int64_t due = 500 + (8 + 100 + 4) * byte_ns + signal_ns;
  EXPECT_EQ(w.next_delivery_ns(1), due);
  EXPECT_EQ(w.next_delivery_ns(0), Timetable::never);
  w.run_to(due - 1);
  EXPECT_TRUE(w.delivered.empty());
  EXPECT_EQ(w.next_delivery_ns(1), due);
  w.run_to(due + 40'000);  // whoever asks late
  ASSERT_EQ(w.delivered.size(), 1u);
  EXPECT_EQ(w.delivered[0].time_ns, due);
  EXPECT_EQ(w.delivered[0].port, 1);
  EXPECT_EQ(w.delivered[0].frame, 7u);
  EXPECT_EQ(w.delivered[0].bytes, 100);
  EXPECT_EQ(w.next_delivery_ns(1), Timetable::never);
  const BusTally& tally = *w.schedule.bus();
  EXPECT_EQ(tally.packets, 1u);
  EXPECT_EQ(tally.busy_ns, 112 * byte_ns);
  EXPECT_EQ(tally.wanted_ns, 112 * byte_ns);
}

TEST(BusSchedule, AShortFrameIsPaddedAndABroadcastReachesAllOthers) {
  Wired w(3);
  w.arrive(1, 0, 3, 42, std::nullopt);
  const std::int64_t due = (8 + 64) * byte_ns + signal_ns;
  w.run_to(due);
  ASSERT_EQ(w.delivered.size(), 2u);
  EXPECT_EQ(w.delivered[0].port, 0);
  EXPECT_EQ(w.delivered[1].port, 2);
  for (const auto& d : w.delivered) EXPECT_EQ(d.time_ns, due);
}

// Both directions share the wire: the second host hears the first and waits for the gap after it.
TEST(BusSchedule, TheBusIsHalfDuplex) {
  Wired w(2);
  w.arrive(0, 0, 0, 1514, 1);
  w.arrive(1, 100'000, 1, 1514, 0);
  const std::int64_t frame = (8 + 1518) * byte_ns;
  EXPECT_EQ(w.next_delivery_ns(1), frame + signal_ns);
  EXPECT_EQ(w.next_delivery_ns(0), frame + signal_ns + gap_ns + frame + signal_ns);
}

struct Ends : ether::BusUser {
  std::vector<std::pair<std::uint64_t, std::int64_t>> sent_ns;
  std::vector<std::uint64_t> lost;
  void sent(const ether::BusFrame& frame, std::int64_t, std::int64_t arrives_ps) override {
    sent_ns.emplace_back(frame.id, (arrives_ps + 999) / 1000);
  }
  void dropped(const ether::BusFrame& frame, std::int64_t) override { lost.push_back(frame.id); }
};

// Saturated hosts whose switch comes up to 300 us late every time: every frame has the time that it has on
// the same bus with all frames there from the beginning, to the nanosecond, and so have the collisions.
// Some frames are given up.
TEST(BusSchedule, LateHandsChangeNoTime) {
  for (const int hosts : {2, 4, 40}) {
    const int frames_each = 4000 / hosts;
    Ends ends;
    ether::CsmaBus bus({}, std::vector<ether::BusStation>(static_cast<std::size_t>(hosts), {0, 500'000}), 9,
                       ends);
    const auto bytes = [](int k) { return k % 3 == 0 ? 66 : 1514; };
    const auto number = [&](int host, int k) { return static_cast<std::uint32_t>(host * frames_each + k); };
    for (int k = 0; k < frames_each; ++k)
      for (int host = 0; host < hosts; ++host)
        bus.put({.id = number(host, k),
                 .source = static_cast<std::uint32_t>(host),
                 .destination = static_cast<std::uint32_t>((host + 1) % hosts),
                 .bytes = static_cast<std::uint32_t>(bytes(k) + 4)},
                0);
    bus.advance(ether::CsmaBus::nothing);

    Wired w(hosts, 9);
    std::vector<int> next(static_cast<std::size_t>(hosts), 0);
    std::int64_t now = 0;
    std::uint32_t late = 1;
    const auto take = [&] {
      for (int k = 0; k < frames_each; ++k)
        for (int host = 0; host < hosts; ++host) {
          int& of_host = next[static_cast<std::size_t>(host)];
          if (of_host != k || !w.schedule.wants(host)) continue;
          w.arrive(host, now, number(host, k), bytes(k), (host + 1) % hosts);
          ++of_host;
        }
    };
    take();
    while (w.delivered.size() + w.dropped.size() <
           static_cast<std::size_t>(hosts) * static_cast<std::size_t>(frames_each)) {
      std::int64_t wake = Timetable::never;
      for (int host = 0; host < hosts; ++host)
        wake = std::min({wake, w.schedule.next_delivery_ns(host), w.schedule.next_room_ns(host)});
      late = late * 1664525 + 1013904223;
      now = std::max(now, wake - start_ns) + late % 300'000;
      w.run_to(now);
      take();
    }
    ASSERT_EQ(w.delivered.size(), ends.sent_ns.size()) << hosts;
    for (std::size_t i = 0; i < w.delivered.size(); ++i) {
      ASSERT_EQ(w.delivered[i].frame, ends.sent_ns[i].first) << hosts << " hosts, frame " << i;
      ASSERT_EQ(w.delivered[i].time_ns, ends.sent_ns[i].second) << hosts << " hosts, frame " << i;
    }
    const BusTally& tally = *w.schedule.bus();
    EXPECT_EQ(tally.collisions, bus.counts().collisions);
    EXPECT_EQ(tally.collided_attempts, bus.counts().collided_attempts);
    EXPECT_EQ(tally.given_up, ends.lost.size());
    EXPECT_EQ(w.dropped.size(), ends.lost.size());
    EXPECT_FALSE(ends.lost.empty());
  }
}

// Alone, what is foretold is what comes, also of frames that collide.
TEST(BusSchedule, DeliveriesAreForetoldUntilAnotherFrameComes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Wired w(4, seed);
    for (int host = 1; host < 4; ++host) w.arrive(host, 0, static_cast<std::uint32_t>(host), 400, 0);
    EXPECT_GE(w.schedule.bus()->collisions + 1, 1u);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t due = w.next_delivery_ns(0);
      w.run_to(due - 1);
      ASSERT_EQ(w.delivered.size(), i);
      w.run_to(due);
      ASSERT_EQ(w.delivered.size(), i + 1);
      EXPECT_EQ(w.delivered[i].time_ns, due);
    }
    EXPECT_GE(w.schedule.bus()->collisions, 1u);
  }
}

TEST(BusSchedule, ASeedIsARunAndAnotherSeedAnother) {
  const auto ends = [](std::uint64_t seed) {
    Wired w(3, seed);
    for (std::uint32_t frame = 0; frame < 30; ++frame)
      w.arrive(static_cast<int>(frame % 3), 0, frame, 500, static_cast<int>((frame + 1) % 3));
    w.run_to(1'000'000'000);
    std::vector<std::int64_t> out;
    for (const auto& d : w.delivered) out.push_back(d.time_ns);
    return out;
  };
  EXPECT_EQ(ends(5), ends(5));
  EXPECT_NE(ends(5), ends(6));
}

TEST(BusSchedule, RoomIsAskedForWhenHalfOfWhatWaitsHasGone) {
  Wired w(2);
  std::uint32_t frame = 0;
  while (w.schedule.wants(0)) w.arrive(0, 0, frame++, 1514, 1);
  ASSERT_EQ(frame, 3u);  // one on the wire and two that wait
  const std::int64_t slot_of_frame = (8 + 1518) * byte_ns + gap_ns;
  EXPECT_EQ(w.schedule.next_room_ns(0) - start_ns, 2 * slot_of_frame - gap_ns + signal_ns);
  EXPECT_EQ(w.schedule.next_room_ns(1), Timetable::never);
}

TEST(BusSchedule, ARateChangeBeginsTheFrameOnTheWireAnew) {
  Wired w(2);
  w.arrive(0, 0, 0, 1514, 1);
  w.arrive(0, 0, 1, 1514, 1);
  w.schedule.set_wire({10 * ten_megabit, 0});
  w.run_to(600'000);  // the first, half sent, begins again, at ten times the rate
  const std::int64_t frame = (8 + 1518) * byte_ns / 10, signal = 640;  // an eighth of the slot
  EXPECT_EQ(w.next_delivery_ns(1), 600'000 + frame + signal);
  w.run_to(2'000'000);
  ASSERT_EQ(w.delivered.size(), 2u);
  EXPECT_EQ(w.delivered[1].time_ns, 600'000 + frame + gap_ns / 10 + frame + signal);
  EXPECT_EQ(w.schedule.bus()->packets, 2u);
}

}  // namespace
}  // namespace ww::lab

// The switch's hands: reads the hosts' frames from their TAPs, delivers them when the Schedule says so,
// counts.
#pragma once
#include <poll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "lab/switch/lateness.hpp"
#include "lab/switch/schedule.hpp"

namespace ww::lab {

using Mac = std::array<std::uint8_t, 6>;

struct Counters {
  std::atomic<std::uint64_t> frames{0}, bytes{0}, dropped{0}, spun_ns{0};
  Histogram late;
};

class Pump {
 public:
  // taps: non-blocking; macs: the address behind each.
  Pump(std::vector<int> taps, const std::vector<Mac>& macs, WireTimes wire);

  // Runs until stop(). To be called in a thread of its own.
  void run();
  // From other threads.
  void stop();
  void set_wire(WireTimes wire);
  Counters& counters() { return counters_; }

 private:
  struct Learned {
    std::uint64_t mac;
    int port;
  };

  std::uint8_t* buffer(std::uint32_t frame) { return pool_ + std::size_t{frame} * frame_room; }
  // Takes what the hosts have ready, as far as the schedule wants it. True if anything came.
  bool take_in();
  bool take_one(int port);
  void hand_out(std::int64_t now_ns);
  void release(std::uint32_t frame);
  // Sleeps until the next thing to do, or until a host that is wanted has a frame.
  void wait();
  bool gathers() const;
  std::int64_t sleep_until(std::int64_t ring_ns);
  void adopt_wire();
  std::optional<int> port_of(const std::uint8_t* mac) const;
  void learn(const std::uint8_t* mac, int port);

  static constexpr std::size_t frame_room = 2048;  // MTU 1500
  static constexpr std::uint32_t frames_held = 32768;

  std::vector<int> taps_;
  Schedule schedule_;
  std::vector<Learned> learned_;
  std::uint8_t* pool_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint16_t> copies_, lengths_;
  TimerLateness timer_;
  std::int64_t handed_out_ns_ = 0;  // when the last frame was
  std::vector<pollfd> polled_;
  Counters counters_;
  int wake_ = -1;  // eventfd
  std::atomic<bool> stopping_{false};
  std::atomic<double> new_rate_;
  std::atomic<std::int64_t> new_delay_ns_;
  std::atomic<bool> wire_changed_{false};
};

}  // namespace ww::lab

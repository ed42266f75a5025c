// The switch's hands: read the hosts' frames from their TAPs, deliver them when the Timetable says so, count.
//
// Each hand is a thread that keeps to one core. Moving a frame takes 30 to 60 us of it on a virtual machine,
// and a rank that computes there must not be the one who pays: a hand delivers to the hosts of its own core,
// whose ranks are about to be given what they wait for, and takes in the frames of the hosts before them (the
// delivery is what it sleeps for next). Where a core is left over, one hand there does it all.
#pragma once
#include <poll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lab/switch/lateness.hpp"
#include "lab/switch/lock.hpp"
#include "lab/switch/timetable.hpp"

namespace ww::lab {

using Mac = std::array<std::uint8_t, 6>;

// Frames of a stream at less than this distance (above 246 Mb/s) go out together: waking for each would cost
// more than both hosts have. Throughput stays exact, since the schedule does not know of it.
inline constexpr std::int64_t gathered_ns = 50'000;

// The cores of the hands: those of the hosts (host k is on the k-th usable core, in turn), or one that is
// left over.
std::vector<int> cores_of_hands(std::size_t hosts, const std::vector<int>& usable_cores);

class Pump {
 public:
  // What lies before each frame of a card (virtio_net_hdr), so that it may hand over several of one stream at once.
  enum class Header : std::size_t { none = 0, virtio = 10 };
  // taps: non-blocking; macs: the address behind each; cores: of the hands, at least one, -1: anywhere.
  Pump(std::vector<int> taps, const std::vector<Mac>& macs, std::unique_ptr<Timetable> timetable,
       const std::vector<int>& cores, Header header = Header::none);
  ~Pump();

  // Starts the hands; gives what could not be had for them (real-time priority), or "".
  std::string start();
  void stop();
  // From other threads.
  void set_wire(WireTimes wire);
  Counters& counters() { return counters_; }
  const BusTally* bus() const { return timetable_->bus(); }
  double up_s() const { return static_cast<double>(now_ns() - up_ns_) * 1e-9; }

  static std::int64_t now_ns();  // the clock of all times here

 private:
  struct Hand;
  struct Learned {
    std::uint64_t mac;
    int port;
  };

  void run(Hand& hand);
  std::uint8_t* buffer(std::uint32_t frame) { return pool_ + std::size_t{frame} * frame_room; }
  // Takes what the hand's hosts have ready, as far as the schedule wants it. True if anything came.
  bool take_in(Hand& hand);
  bool take_one(Hand& hand, int port);
  void hand_out(Hand& hand);
  // Sleeps until the next thing to do, or until a host that is wanted has a frame.
  void wait(Hand& hand);
  std::int64_t sleep_until(Hand& hand, std::int64_t ring_ns);
  Hand& receiver(int port) { return *hands_[static_cast<std::size_t>(port) % hands_.size()]; }
  // With the lock held:
  std::int64_t next_delivery_ns(const Hand& hand) const;
  std::int64_t next_room_ns(const Hand& hand) const;
  bool gathers() const;
  void advance(std::int64_t until_ns);
  void release(std::uint32_t frame);
  std::optional<int> port_of(const std::uint8_t* mac) const;
  void learn(const std::uint8_t* mac, int port);
  void wake(Hand& other);

  static constexpr std::size_t frame_room = 66560;  // 64 KiB and headers; only what is written takes memory
  static constexpr std::uint32_t frames_held = 32768;

  // Of a piece that one hand at a time has, or the schedule.
  struct Held {
    std::uint32_t length;  // as read from the card
    std::uint32_t frames;
    std::uint16_t copies;  // yet to be delivered
  };

  std::vector<int> taps_;
  std::size_t header_;
  std::uint8_t* pool_;
  std::vector<Held> held_;
  SwitchLock lock_;  // for all up to here from:
  std::unique_ptr<Timetable> timetable_;
  std::vector<Learned> learned_;
  std::vector<std::uint32_t> free_;
  std::vector<std::unique_ptr<Hand>> hands_;
  Counters counters_;
  std::int64_t up_ns_ = now_ns();
  std::atomic<std::int64_t> covered_ns_;
  std::atomic<bool> stopping_{false};
};

}  // namespace ww::lab

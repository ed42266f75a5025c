#include "lab/switch/pump.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/result.hpp"

namespace ww::lab {
namespace {

std::uint64_t number(const std::uint8_t* mac) {
  std::uint64_t value = 0;
  std::memcpy(&value, mac, 6);
  return value;
}

// Timers are set earlier by the median of how late they ring, and the rest is spun away: half of them ring
// too early, by a few microseconds. Measured at 100 Mb/s, two busy ranks on two cores (a virtual
// machine), while one thread still served all ports:
// without this frames leave 31 us late at the median and 109 us at the 99th percentile; with it 0.3 us and 54
// us, for 7% of a core, which the shorter waits of everything else give back. The 90th percentile instead:
// 0.2 us and 48 us for 11%.
constexpr double early_quantile = 0.5;
// What a core loses to a timer on a virtual machine, where setting one and its ringing leave the machine: 26 us here, beside
// how late it is. What is due before is waited for awake, and frames that come meanwhile are taken without an interrupt.
constexpr std::int64_t cost_of_sleeping_ns = 20'000;

// Of the virtio specification 1.2, section 5.1.6, as Linux's TAPs give it (<linux/virtio_net.h> is not C++).
struct VirtioHeader {
  static constexpr std::uint8_t tcp_ipv4 = 1, with_ecn = 0x80;
  std::uint8_t flags, gso_type;
  std::uint16_t header_bytes, gso_bytes, checksum_start, checksum_offset;
};

// What a card gave: `frame` of `length` bytes with that header, whose frames' own headers are alike.
struct Cut {
  std::int64_t frames, first_bytes, all_bytes;
};
Cut cut(const VirtioHeader& header, const std::uint8_t* frame, std::int64_t length) {
  const Cut whole{1, length, length};
  constexpr std::int64_t ethernet = 14, least = ethernet + 20 + 20;
  if ((header.gso_type & ~VirtioHeader::with_ecn) != VirtioHeader::tcp_ipv4 || header.gso_bytes == 0 ||
      length < least)
    return whole;
  const std::int64_t ip = (frame[ethernet] & 15) * 4;
  if (length < ethernet + ip + 20) return whole;
  const std::int64_t headers = ethernet + ip + (frame[ethernet + ip + 12] >> 4) * 4;
  const std::int64_t frames = (length - headers + header.gso_bytes - 1) / header.gso_bytes;
  if (frames < 2) return whole;
  return {frames, headers + header.gso_bytes, length + (frames - 1) * headers};
}

void keep_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  (void)sched_setaffinity(0, sizeof set, &set);  // a core that has gone leaves the hand where it is
}

// Real time for the threads that move frames. What was not granted is said in `status`.
std::string take_priority() {
  std::string missing;
  sched_param priority = {};
  priority.sched_priority = 50;
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0)
    missing += fmt::format("SCHED_FIFO: {}; ", std::strerror(errno));
  if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0)
    missing += fmt::format("mlockall: {}; ", std::strerror(errno));
  prctl(PR_SET_TIMERSLACK, 1);
  return missing;
}

}  // namespace

std::int64_t Pump::now_ns() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::vector<int> cores_of_hands(std::size_t hosts, const std::vector<int>& usable_cores) {
  if (usable_cores.empty()) return {-1};
  if (usable_cores.size() > hosts) return {usable_cores[hosts]};
  return usable_cores;
}

struct Pump::Hand {
  int core = -1;
  std::vector<int> delivers_to, takes_from;  // ports
  std::vector<Timetable::Delivery> due;      // with the lock held: what has its time, to be delivered
  std::vector<Timetable::Delivery> delivering;
  TimerLateness timer{early_quantile};
  std::int64_t handed_out_ns = 0;                // when the last frame was
  std::atomic<std::int64_t> asleep_until_ns{0};  // 0: awake, and will look before it sleeps
  std::vector<pollfd> polled;
  int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // Not on the stack of start(), which goes on while the thread still notifies.
  std::atomic<bool> prepared{false};
  std::thread thread;
  ~Hand() { close(wake); }
};

Pump::Pump(std::vector<int> taps, const std::vector<Mac>& macs, std::unique_ptr<Timetable> timetable,
           const std::vector<int>& cores, Header header)
    : taps_(std::move(taps)),
      header_(static_cast<std::size_t>(header)),
      held_(frames_held),
      timetable_(std::move(timetable)) {
  covered_ns_ = timetable_->wire().covered_ns();
  void* memory = mmap(nullptr, frame_room * frames_held, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  WW_INVARIANT(memory != MAP_FAILED && !cores.empty());
  pool_ = static_cast<std::uint8_t*>(memory);
  for (std::uint32_t frame = frames_held; frame > 0; --frame) free_.push_back(frame - 1);
  for (std::size_t port = 0; port < macs.size(); ++port) learn(macs[port].data(), static_cast<int>(port));
  for (const int core : cores) {
    hands_.push_back(std::make_unique<Hand>());
    hands_.back()->core = core;
    WW_INVARIANT(hands_.back()->wake >= 0);
  }
  for (int port = 0; port < static_cast<int>(taps_.size()); ++port) {
    receiver(port).delivers_to.push_back(port);
    receiver(port + 1).takes_from.push_back(port);
  }
}

Pump::~Pump() {
  stop();
}

std::string Pump::start() {
  std::string missing;
  for (auto& hand : hands_) {
    hand->thread = std::thread([&missing, this, self = hand.get()] {
      if (self->core >= 0) keep_to(self->core);
      missing = take_priority();
      self->prepared = true;
      self->prepared.notify_one();
      run(*self);
    });
    hand->prepared.wait(false);
  }
  return missing;
}

void Pump::stop() {
  stopping_ = true;
  for (auto& hand : hands_) wake(*hand);
  for (auto& hand : hands_)
    if (hand->thread.joinable()) hand->thread.join();
}

void Pump::wake(Hand& other) {
  eventfd_write(other.wake, 1);
}

void Pump::set_wire(WireTimes wire) {
  {
    const std::lock_guard held(lock_);
    timetable_->set_wire(wire);
  }
  covered_ns_ = wire.covered_ns();
  for (auto& hand : hands_) wake(*hand);
}

std::optional<int> Pump::port_of(const std::uint8_t* mac) const {
  const std::uint64_t wanted = number(mac);
  for (const Learned& entry : learned_)
    if (entry.mac == wanted) return entry.port;
  return std::nullopt;
}

void Pump::learn(const std::uint8_t* mac, int port) {
  constexpr std::size_t most = 1024;
  const std::uint64_t seen = number(mac);
  for (Learned& entry : learned_)
    if (entry.mac == seen) {
      entry.port = port;
      return;
    }
  if (learned_.size() < most) learned_.push_back({seen, port});
}

bool Pump::take_one(Hand& hand, int port) {
  std::uint32_t frame = 0;
  {
    const std::lock_guard held(lock_);
    if (free_.empty() || !timetable_->wants(port)) return false;
    frame = free_.back();
    free_.pop_back();
  }
  const ssize_t read_bytes = read(taps_[static_cast<std::size_t>(port)], buffer(frame), frame_room);
  const std::uint8_t* data = buffer(frame) + header_;
  const std::int64_t length = read_bytes - static_cast<std::int64_t>(header_);
  VirtioHeader header = {};
  if (length >= 14) std::memcpy(&header, buffer(frame), std::min(header_, sizeof header));
  const std::lock_guard held(lock_);
  if (length < 14) {
    free_.push_back(frame);
    return false;
  }
  const Cut parts = cut(header, data, length);
  learn(data + 6, port);
  const bool group = (data[0] & 1) != 0;
  const std::optional<int> to = group ? std::nullopt : port_of(data);
  const auto ports = static_cast<std::uint16_t>(taps_.size());
  held_[frame] = {static_cast<std::uint32_t>(read_bytes), static_cast<std::uint32_t>(parts.frames),
                  to ? std::uint16_t{1} : static_cast<std::uint16_t>(ports - 1)};
  if (held_[frame].copies == 0 || to == port) {
    free_.push_back(frame);
    return true;
  }
  timetable_->arrive(port, now_ns(), frame, CardPiece(parts.frames, parts.first_bytes, parts.all_bytes), to);
  for (auto& other : hands_)
    if (other.get() != &hand && next_delivery_ns(*other) < other->asleep_until_ns.load()) {
      other->asleep_until_ns = 0;
      wake(*other);
    }
  return true;
}

bool Pump::take_in(Hand& hand) {
  bool any = false;
  for (const int port : hand.takes_from)
    while (take_one(hand, port)) any = true;
  return any;
}

void Pump::release(std::uint32_t frame) {
  if (--held_[frame].copies == 0) free_.push_back(frame);
}

void Pump::advance(std::int64_t until_ns) {
  timetable_->advance(
      until_ns, [this](const Timetable::Delivery& d) { receiver(d.port).due.push_back(d); },
      [this](std::uint32_t frame) {
        counters_.dropped.fetch_add(held_[frame].frames, std::memory_order_relaxed);
        release(frame);
      });
}

void Pump::hand_out(Hand& hand) {
  {
    const std::lock_guard held(lock_);
    advance(now_ns());
    hand.delivering.swap(hand.due);
  }
  for (const Timetable::Delivery& d : hand.delivering) {
    hand.handed_out_ns = now_ns();
    const std::int64_t late_ns = hand.handed_out_ns - d.time_ns;
    counters_.late.add(late_ns);
    const auto& [length, frames, copies] = held_[d.frame];
    if (late_ns > covered_ns_.load(std::memory_order_relaxed))
      counters_.late_frames.fetch_add(frames, std::memory_order_relaxed);
    const ssize_t written = write(taps_[static_cast<std::size_t>(d.port)], buffer(d.frame), length);
    if (written == static_cast<ssize_t>(length)) {
      counters_.frames.fetch_add(frames, std::memory_order_relaxed);
      counters_.bytes.fetch_add(
          static_cast<std::uint64_t>(d.bytes - static_cast<std::int64_t>(frames - 1) * frame_overhead_bytes),
          std::memory_order_relaxed);
    } else {
      counters_.dropped.fetch_add(frames, std::memory_order_relaxed);
    }
  }
  if (hand.delivering.empty()) return;
  const std::lock_guard held(lock_);
  for (const Timetable::Delivery& d : hand.delivering) release(d.frame);
  hand.delivering.clear();
}

std::int64_t Pump::next_delivery_ns(const Hand& hand) const {
  std::int64_t next = hand.due.empty() ? Timetable::never : 0;
  for (const int port : hand.delivers_to) next = std::min(next, timetable_->next_delivery_ns(port));
  return next;
}

std::int64_t Pump::next_room_ns(const Hand& hand) const {
  std::int64_t next = Timetable::never;
  for (const int port : hand.takes_from) next = std::min(next, timetable_->next_room_ns(port));
  return next;
}

// A stream of frames on a wire faster than timers are exact goes out in small bunches: waking for each frame
// would cost more than both hosts have. Throughput stays exact, since the schedule does not know of it.
bool Pump::gathers() const {
  constexpr std::uint32_t stream = 6;
  const std::int64_t frame_ns = timetable_->wire().serialise_ns(1514);
  return frame_ns > 0 && frame_ns < gathered_ns && frames_held - free_.size() >= stream;
}

// Gives the time of waking; sooner than asked if a host, another hand or a command wants us.
std::int64_t Pump::sleep_until(Hand& hand, std::int64_t ring_ns) {
  const std::int64_t left = ring_ns - now_ns();
  if (left <= 0) return now_ns();
  const timespec sleep{left / 1'000'000'000, left % 1'000'000'000};
  const bool rang = ppoll(hand.polled.data(), hand.polled.size(),
                          ring_ns == Timetable::never ? nullptr : &sleep, nullptr) == 0;
  const std::int64_t woke = now_ns();
  if (rang) hand.timer.add(woke - ring_ns);
  return woke;
}

void Pump::wait(Hand& hand) {
  std::int64_t room = 0, delivery = 0;
  bool gathering = false;
  hand.polled.clear();
  {
    const std::lock_guard held(lock_);
    gathering = gathers();
    for (const int port : hand.takes_from) {
      const bool listen = timetable_->wants(port) && !free_.empty() &&
                          !(gathering && timetable_->busy_for(port, 2 * gathered_ns));
      hand.polled.push_back({listen ? taps_[static_cast<std::size_t>(port)] : -1, POLLIN, 0});
    }
    room = next_room_ns(hand);
    delivery = next_delivery_ns(hand);
    hand.asleep_until_ns = std::min(room, delivery);
  }
  hand.polled.push_back({hand.wake, POLLIN, 0});

  if (gathering) {
    sleep_until(hand, std::min(room, std::max(delivery, hand.handed_out_ns + gathered_ns)));
  } else if (room < delivery) {
    sleep_until(hand, room);
  } else if (delivery == Timetable::never) {
    sleep_until(hand, Timetable::never);
  } else {
    const std::int64_t usual_ns = hand.timer.usual_ns();
    std::int64_t woke = now_ns();
    if (delivery - woke > usual_ns + cost_of_sleeping_ns) woke = sleep_until(hand, delivery - usual_ns);
    if (woke < delivery && delivery - woke <= usual_ns + cost_of_sleeping_ns) {
      std::int64_t now = woke;
      while (now < delivery && !take_in(hand)) now = now_ns();
      counters_.spun_ns.fetch_add(static_cast<std::uint64_t>(now - woke), std::memory_order_relaxed);
    }
  }
  hand.asleep_until_ns = 0;
  if ((hand.polled.back().revents & POLLIN) != 0) {
    eventfd_t value = 0;
    eventfd_read(hand.wake, &value);
  }
}

void Pump::run(Hand& hand) {
  while (!stopping_) {
    do hand_out(hand);
    while (take_in(hand));
    wait(hand);
  }
}

}  // namespace ww::lab

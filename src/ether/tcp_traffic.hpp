// Hosts of which several send to one over TCP on a CSMA/CD bus, as far as the bus is concerned: full frames
// one way, acknowledgements the other. Without windows and losses' consequences. For tests of the lab's bus,
// which has real TCP on it.
#pragma once
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "ether/csma_bus.hpp"

namespace ww::ether {

struct TcpTraffic {
  std::uint32_t senders = 1;
  std::uint32_t message_frames = 1;
  double gap_s = 0;  // between a sender's messages, exponential; 0: the next frame is always ready
  double acknowledgements_per_frame = 0.5;  // of messages every second frame and the last is acknowledged
  std::uint32_t data_bytes = 1518, acknowledgement_bytes = 70;  // frames with their check sequences
  double answer_s = 50e-6;             // from a frame's arrival to its acknowledgement
  std::int64_t signal_ps = 1'000'000;  // between any two hosts
};

class TcpHosts : BusUser {
 public:
  TcpHosts(const BusRules& rules, const TcpTraffic& traffic, std::uint64_t seed)
      : traffic_(traffic),
        owed_(traffic.senders + 1, 0),
        from_(traffic.senders + 1, 0),
        random_(seed),
        bus_(rules, std::vector<BusStation>(traffic.senders + 1, BusStation{0, traffic.signal_ps / 2}), seed,
             *this) {
    for (std::uint32_t sender = 1; sender <= traffic.senders; ++sender) {
      if (traffic.gap_s > 0)
        plan_message(sender, 0);
      else
        put_data(sender, 0);
    }
  }

  void run(double seconds) {
    seconds_ = seconds;
    const std::int64_t until_ps = ps(seconds);
    while (true) {
      const std::int64_t ready_ps = agenda_.empty() ? CsmaBus::nothing : agenda_.top().first;
      const std::int64_t next_ps = std::min(ready_ps, bus_.next_ps());
      if (next_ps > until_ps) break;
      bus_.advance(next_ps);
      if (ready_ps > next_ps) continue;
      const std::int64_t what = agenda_.top().second;
      agenda_.pop();
      if (what < 0) {
        bus_.put({.id = 0,
                  .source = 0,
                  .destination = static_cast<std::uint32_t>(-what),
                  .bytes = traffic_.acknowledgement_bytes},
                 ready_ps);
      } else {
        const auto sender = static_cast<std::uint32_t>(what);
        for (std::uint32_t frame = 0; frame < traffic_.message_frames; ++frame) put_data(sender, ready_ps);
        plan_message(sender, ready_ps);
      }
    }
    bus_.advance(until_ps);
  }

  const BusCounts& counts() const { return bus_.counts(); }
  double frames_per_s() const { return static_cast<double>(received_) / seconds_; }  // of data
  double utilisation() const { return static_cast<double>(counts().sending_ps) * 1e-12 / seconds_; }
  double collisions_per_packet() const {
    return static_cast<double>(counts().collided_attempts) / static_cast<double>(counts().sent);
  }

 private:
  static std::int64_t ps(double seconds) { return static_cast<std::int64_t>(seconds * 1e12); }
  void plan_message(std::uint32_t sender, std::int64_t now_ps) {
    agenda_.emplace(now_ps + ps(std::exponential_distribution<double>(1 / traffic_.gap_s)(random_)), sender);
  }
  void put_data(std::uint32_t sender, std::int64_t now_ps) {
    bus_.put({.id = 0, .source = sender, .destination = 0, .bytes = traffic_.data_bytes}, now_ps);
  }
  void sent(const BusFrame& frame, std::int64_t now_ps, std::int64_t arrives_ps) override {
    if (frame.source == 0) return;
    ++received_;
    double& owed = owed_[frame.source];
    if (traffic_.gap_s > 0) {
      const std::uint32_t of_message = from_[frame.source]++ % traffic_.message_frames + 1;
      owed = of_message % 2 == 0 || of_message == traffic_.message_frames ? 1 : 0;
    } else {
      owed += traffic_.acknowledgements_per_frame;
    }
    for (; owed >= 1; owed -= 1)
      agenda_.emplace(arrives_ps + ps(traffic_.answer_s), -std::int64_t{frame.source});
    if (traffic_.gap_s == 0) put_data(frame.source, now_ps);
  }
  void dropped(const BusFrame& frame, std::int64_t now_ps) override {
    if (frame.source != 0) put_data(frame.source, now_ps);
  }

  // When, and what: a message of that sender, or an acknowledgement to it (negative).
  using Entry = std::pair<std::int64_t, std::int64_t>;

  TcpTraffic traffic_;
  std::vector<double> owed_;         // by sender: acknowledgements
  std::vector<std::uint32_t> from_;  // by sender: frames received
  std::mt19937_64 random_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> agenda_;
  std::uint64_t received_ = 0;
  double seconds_ = 0;
  CsmaBus bus_;
};

}  // namespace ww::ether

// Saturated stations on a CSMA/CD bus: each has its next frame ready a pause after the last is done. For
// tests and bench/ethernet.
#pragma once
#include <algorithm>
#include <functional>
#include <utility>

#include "ether/csma_bus.hpp"

namespace ww::ether {

class SaturatedStations : BusUser {
 public:
  // bytes_of_next: of the next frame of a station.
  SaturatedStations(const BusRules& rules, std::vector<BusStation> places, std::uint64_t seed,
                    std::function<std::uint32_t()> bytes_of_next, double pause_s = 0)
      : stations_(static_cast<std::uint32_t>(places.size())),
        bytes_of_next_(std::move(bytes_of_next)),
        pause_ps_(ps(pause_s)),
        bus_(rules, std::move(places), seed, *this) {
    for (std::uint32_t station = 0; station < stations_; ++station) put(station, 0);
  }

  // Counts for `seconds` after the warm-up.
  void run(double warm_up_s, double seconds) {
    advance(ps(warm_up_s));
    const BusCounts before = bus_.counts();
    delay_s_ = 0;
    advance(ps(warm_up_s + seconds));
    counts_ = bus_.counts();
    counts_.sent -= before.sent;
    counts_.dropped -= before.dropped;
    counts_.bytes -= before.bytes;
    counts_.collisions -= before.collisions;
    counts_.collided_attempts -= before.collided_attempts;
    counts_.late_collisions -= before.late_collisions;
    counts_.sending_ps -= before.sending_ps;
    seconds_ = seconds;
  }

  const BusCounts& counts() const { return counts_; }
  double utilisation() const { return static_cast<double>(counts_.sending_ps) * 1e-12 / seconds_; }
  // The same with the gap that every frame needs counted as used, as Boggs and others count.
  double utilisation_with_gaps() const {
    return utilisation() +
           static_cast<double>(counts_.sent) * bus_.rules().gap / bus_.rules().bits_per_s / seconds_;
  }
  double collisions_per_packet() const {
    return static_cast<double>(counts_.collided_attempts) / static_cast<double>(counts_.sent);
  }
  // From being first in its station's queue to its end, of the frames that got through.
  double mean_delay_s() const { return delay_s_ / static_cast<double>(counts_.sent); }

 private:
  static std::int64_t ps(double seconds) { return static_cast<std::int64_t>(seconds * 1e12); }
  void advance(std::int64_t until_ps) {
    while (true) {
      const std::int64_t ready_ps = pausing_.empty() ? CsmaBus::nothing : pausing_.front().first;
      const std::int64_t next_ps = std::min(ready_ps, bus_.next_ps());
      if (next_ps > until_ps) break;
      bus_.advance(next_ps);
      if (ready_ps > next_ps) continue;
      const std::uint32_t station = pausing_.front().second;
      pausing_.pop_front();
      put(station, ready_ps);
    }
    bus_.advance(until_ps);
  }
  void done(std::uint32_t station, std::int64_t now_ps) {
    if (pause_ps_ == 0)
      put(station, now_ps);
    else
      pausing_.emplace_back(now_ps + pause_ps_, station);
  }
  void put(std::uint32_t station, std::int64_t now_ps) {
    bus_.put(
        {.id = 0, .source = station, .destination = (station + 1) % stations_, .bytes = bytes_of_next_()},
        now_ps);
  }
  void sent(const BusFrame& frame, std::int64_t now_ps, std::int64_t) override {
    delay_s_ += static_cast<double>(now_ps - frame.put_ps) * 1e-12;
    done(frame.source, now_ps);
  }
  void dropped(const BusFrame& frame, std::int64_t now_ps) override { done(frame.source, now_ps); }

  std::uint32_t stations_;
  std::function<std::uint32_t()> bytes_of_next_;
  std::int64_t pause_ps_;
  std::deque<std::pair<std::int64_t, std::uint32_t>> pausing_;  // until when, who
  double delay_s_ = 0, seconds_ = 0;
  CsmaBus bus_;
  BusCounts counts_;
};

}  // namespace ww::ether

#include "ether/csma_bus.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/result.hpp"

namespace ww::ether {

std::int64_t BusRules::ps(double bits) const {
  return std::llround(bits / bits_per_s * 1e12);
}

CsmaBus::CsmaBus(const BusRules& rules, const std::vector<BusStation>& stations, std::uint64_t seed,
                 BusUser& user)
    : rules_(rules), user_(&user), random_(seed) {
  WW_INVARIANT(rules.bits_per_s > 0 && rules.attempts > 0 && rules.backoff_limit <= 30);
  for (const BusStation& place : stations) {
    Station station;
    station.place = place;
    stations_.push_back(std::move(station));
  }
}

std::int64_t CsmaBus::frame_ps(std::uint32_t bytes) const {
  return rules_.ps(rules_.preamble + 8.0 * std::max(bytes, rules_.smallest_frame_bytes));
}

std::int64_t CsmaBus::delay_ps(std::uint32_t from, std::uint32_t to) const {
  const BusStation &a = stations_[from].place, &b = stations_[to].place;
  return std::abs(a.position_ps - b.position_ps) + a.stub_ps + b.stub_ps;
}

std::int64_t CsmaBus::longest_delay_ps() const {
  std::int64_t longest = 0;
  for (std::uint32_t from = 0; from < stations_.size(); ++from)
    for (std::uint32_t to = 0; to < from; ++to) longest = std::max(longest, delay_ps(from, to));
  return longest;
}

std::uint32_t CsmaBus::number_of(const Station& station) const {
  return static_cast<std::uint32_t>(&station - stations_.data());
}

void CsmaBus::add(std::int64_t time_ps, Kind kind, std::uint32_t station, std::uint32_t stamp) {
  events_.push({time_ps, kind, station, stamp, serial_++});
}

void CsmaBus::put(BusFrame frame, std::int64_t now_ps) {
  WW_INVARIANT(frame.source < stations_.size() && frame.destination < stations_.size());
  Station& station = stations_[frame.source];
  frame.put_ps = now_ps;
  station.queue.push_back(frame);
  if (!station.working) begin_next(station, now_ps);
}

void CsmaBus::begin_next(Station& station, std::int64_t now_ps) {
  if (station.working || station.queue.empty()) return;
  station.working = true;
  station.attempts = 0;
  if (station.heard > 0) ++counts_.deferred;
  try_to_send(station, now_ps);
}

void CsmaBus::try_to_send(Station& station, std::int64_t now_ps) {
  station.waiting = true;
  if (station.medium == Medium::free) send(station, now_ps);
}

void CsmaBus::send(Station& station, std::int64_t now_ps) {
  station.waiting = false;
  station.sending = true;
  station.collided = false;
  station.began_ps = now_ps;
  station.medium = Medium::busy;
  station.was_sending = true;
  ++station.attempts;
  ++senders_;
  const std::uint32_t number = number_of(station);
  for (std::uint32_t other = 0; other < stations_.size(); ++other)
    if (other != number) add(now_ps + delay_ps(number, other), Kind::signal_begins, other);
  add(now_ps + frame_ps(station.queue.front().bytes), Kind::send_ends, number, ++station.send_stamp);
  if (station.heard > 0) collide(station, now_ps);
}

void CsmaBus::collide(Station& station, std::int64_t now_ps) {
  station.collided = true;
  ++counts_.collided_attempts;
  if (!episode_collided_) ++counts_.collisions;
  episode_collided_ = true;
  if (now_ps - station.began_ps > rules_.ps(rules_.slot)) ++counts_.late_collisions;
  const std::int64_t jam_ps = std::max(now_ps, station.began_ps + rules_.ps(rules_.preamble));
  add(jam_ps + rules_.ps(rules_.jam), Kind::send_ends, number_of(station), ++station.send_stamp);
}

void CsmaBus::send_ends(Station& station, std::int64_t now_ps) {
  const std::uint32_t number = number_of(station);
  station.sending = false;
  if (--senders_ == 0) episode_collided_ = false;
  for (std::uint32_t other = 0; other < stations_.size(); ++other)
    if (other != number) add(now_ps + delay_ps(number, other), Kind::signal_ends, other);
  medium_changes(station, now_ps);
  if (station.collided && station.attempts < rules_.attempts) {
    const int window = std::min(station.attempts, rules_.backoff_limit);
    const auto slots = static_cast<double>(random_() & ((std::uint64_t{1} << window) - 1));
    add(now_ps + rules_.ps(slots * rules_.slot), Kind::backoff_ends, number);
    return;
  }
  const BusFrame frame = station.queue.front();
  station.queue.pop_front();
  station.working = false;
  if (station.collided) {
    ++counts_.dropped;
    user_->dropped(frame, now_ps);
  } else {
    ++counts_.sent;
    counts_.bytes += std::max(frame.bytes, rules_.smallest_frame_bytes);
    counts_.sending_ps += frame_ps(frame.bytes);
    user_->sent(frame, now_ps, now_ps + delay_ps(number, frame.destination));
  }
  begin_next(station, now_ps);
}

// After a signal or the station's own sending has begun or ended.
void CsmaBus::medium_changes(Station& station, std::int64_t now_ps) {
  const bool carrier = station.heard > 0 || station.sending;
  if (carrier && station.medium == Medium::free) {
    station.medium = Medium::busy;
    station.was_sending = false;
  } else if (carrier && station.medium == Medium::gap && !station.was_sending &&
             now_ps < station.gap_ps + rules_.ps(rules_.gap_first_part)) {
    station.medium = Medium::busy;
    ++station.gap_stamp;
  } else if (!carrier && station.medium == Medium::busy) {
    station.medium = Medium::gap;
    station.gap_ps = now_ps;
    add(now_ps + rules_.ps(rules_.gap), Kind::gap_ends, number_of(station), ++station.gap_stamp);
  }
}

void CsmaBus::advance(std::int64_t until_ps) {
  while (!events_.empty() && events_.top().time_ps <= until_ps) {
    const Event event = events_.top();
    events_.pop();
    Station& station = stations_[event.station];
    switch (event.kind) {
      case Kind::send_ends:
        if (station.sending && event.stamp == station.send_stamp) send_ends(station, event.time_ps);
        break;
      case Kind::signal_begins:
        ++station.heard;
        medium_changes(station, event.time_ps);
        if (station.sending && !station.collided) collide(station, event.time_ps);
        break;
      case Kind::signal_ends:
        --station.heard;
        medium_changes(station, event.time_ps);
        break;
      case Kind::gap_ends:
        if (station.medium != Medium::gap || event.stamp != station.gap_stamp) break;
        station.medium = Medium::free;
        if (station.waiting)
          send(station, event.time_ps);
        else
          medium_changes(station, event.time_ps);
        break;
      case Kind::backoff_ends:
        try_to_send(station, event.time_ps);
        break;
    }
  }
}

}  // namespace ww::ether

// What became of the packets and fragments that daemons of PVM's carried. Its rules, as its packets show them: data packets between two daemons
// have numbers of their own each way, one after the other modulo 65536; each is acknowledged by its number; one that is not is sent again
// after a while.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interpose/core/spool_format.hpp"
#include "trace/daemon_record.hpp"

namespace ww::spool {

// Numbers of 16 bits, counted on.
class SequenceNumbers {
 public:
  struct Told {
    std::int64_t number = 0;
    bool again = false;  // not beyond the latest one
  };
  Told take(std::uint16_t sequence) {
    const Told told{number_of(sequence), any_ && number_of(sequence) <= latest_};
    if (!told.again) latest_ = told.number;
    any_ = true;
    return told;
  }
  // The number that these 16 bits of one that was taken stand for: the nearest to the latest.
  std::int64_t number_of(std::uint16_t sequence) const {
    if (!any_) return sequence;
    return latest_ + static_cast<std::int16_t>(
                         static_cast<std::uint16_t>(sequence - static_cast<std::uint16_t>(latest_)));
  }

 private:
  std::int64_t latest_ = 0;
  bool any_ = false;
};

class DaemonPackets {
 public:
  struct Place {
    std::size_t daemon = 0;
    std::optional<std::size_t> other;  // daemon at the other end, if it was recorded
    bool counts = true;                // towards ways(): it is the program's time
  };
  // Seconds a tick of each daemon's counter; which of them share one.
  struct Clock {
    double s_per_tick = 0;
    std::size_t group = 0;
  };
  explicit DaemonPackets(std::vector<Clock> clocks) : clocks_(std::move(clocks)), daemons_(clocks_.size()) {}

  // Records in the order of time (time_of), each of one daemon; whether it is data that had been sent, or got, before.
  bool take(const Place& place, const Record& record);
  // By daemon: of `from` and `to` the hosts are still to be named.
  struct Way {
    std::size_t from = 0, to = 0;
    DaemonWay way;
  };
  std::vector<Way> ways() const;

  // When a record is due among those of other daemons: what is sent is under way from the entry of its call on, all else has happened at
  // its return.
  static std::uint64_t time_of(const Record& record);

 private:
  struct Pair {  // of tids
    std::uint32_t from, to;
    auto operator<=>(const Pair&) const = default;
  };
  struct Waiting {
    std::uint64_t since_ticks, bytes;
    std::optional<std::size_t> from;  // the daemon that it came from
  };
  using Queues = std::map<Pair, std::deque<Waiting>>;
  struct Sent {
    std::uint64_t enter_ticks = 0;
    bool fragment = false, got = false;
  };
  struct Channel {  // to a peer, and from it, by its index
    SequenceNumbers sent, received;
  };
  struct Daemon {
    Queues read, received;
    std::unordered_map<std::int32_t, Channel> channels;
  };
  struct Samples {
    std::uint64_t fragments = 0, bytes = 0;
    std::vector<float> held_s, under_way_s, delivered_s, acknowledged_s;
  };
  using Key = std::pair<std::size_t, std::size_t>;

  bool take_sent(const Place& place, const Record& record);
  bool take_received(const Place& place, const Record& record);
  void acknowledged(const Place& place, const Channel& channel, const Record& record);
  void written(const Place& place, const Record& record);
  std::optional<Waiting> first_of(Queues& queues, const Record& record, std::uint64_t bytes);
  float seconds(std::size_t daemon, std::uint64_t from, std::uint64_t until) const {
    return static_cast<float>(until > from ? static_cast<double>(until - from) * clocks_[daemon].s_per_tick
                                           : 0);
  }

  std::vector<Clock> clocks_;
  std::vector<Daemon> daemons_;
  std::map<Key, std::map<std::int64_t, Sent>> under_way_;  // by sender and receiver, not acknowledged yet
  std::map<Key, Samples> samples_;
};

}  // namespace ww::spool

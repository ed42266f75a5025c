// A shared bus with CSMA/CD as IEEE 802.3 has it for half duplex (clause 4.2.3: deference, interframe gap in
// two parts, collision enforcement, truncated binary exponential back-off). Frames are put into stations; the
// bus tells its user what became of them. By itself, without ranks and messages, so that saturated stations
// can be driven and compared with published measurements.
//
// * A station that has a frame sends when it has heard nothing for a gap. A station that just sent waits the
//   whole gap whatever it hears; another begins the gap anew when it hears something in its first part.
// * Signals reach station b from a after the cable between them and both stubs. A station that hears another
//   while it sends has collided: it finishes its preamble, sends the jam, and waits r slots, r equally likely
//   0 .. 2^min(attempts, 10) - 1, counted from the end of its jam, whatever it hears meanwhile.
// * After 16 attempts the frame is dropped.
//
// Times are whole picoseconds, so that stations at equal distances really hear the end of a frame at once.
// Deterministic: the same frames and the same seed give the same run.
#pragma once
#include <cstdint>
#include <deque>
#include <queue>
#include <random>
#include <vector>

namespace ww::ether {

// Bit times where not said otherwise; the same rules at 10 and at 100 Mb/s.
struct BusRules {
  double bits_per_s = 10e6;
  int slot = 512, gap = 96, gap_first_part = 64, jam = 32, preamble = 64;
  int attempts = 16, backoff_limit = 10;
  std::uint32_t smallest_frame_bytes = 64;

  std::int64_t ps(double bits) const;  // on the wire
};

struct BusStation {
  std::int64_t position_ps = 0;  // along the cable
  std::int64_t stub_ps = 0;      // from the cable to the station
};

struct BusFrame {
  std::uint64_t id = 0;  // the user's
  std::uint32_t source = 0, destination = 0;
  std::uint32_t bytes = 0;  // from the addresses to the check sequence; a shorter one is padded
  std::int64_t put_ps = 0;
};

// Whom the bus tells. Both may put further frames.
class BusUser {
 public:
  virtual ~BusUser() = default;
  virtual void sent(const BusFrame& frame, std::int64_t now_ps, std::int64_t arrives_ps) = 0;
  virtual void dropped(const BusFrame& frame, std::int64_t now_ps) = 0;
};

struct BusCounts {
  std::uint64_t sent = 0, dropped = 0;  // frames
  std::uint64_t bytes = 0;              // of frames sent, with padding, without preambles
  std::uint64_t collisions = 0;         // times that two stations or more were on the wire together
  std::uint64_t collided_attempts = 0;  // the same, counted by each station
  std::uint64_t deferred = 0;           // frames that found another's on the wire when they came to be sent
  std::uint64_t late_collisions = 0;    // detected over a slot after the frame began
  std::int64_t sending_ps = 0;          // of frames sent, with their preambles
};

class CsmaBus {
 public:
  // A signal must come back within a slot less the preamble: rules of the standard's largest network.
  static constexpr std::int64_t nothing = INT64_MAX;
  CsmaBus(const BusRules& rules, const std::vector<BusStation>& stations, std::uint64_t seed, BusUser& user);

  // Behind the frames that the station already has. Not before what has been advanced to.
  void put(BusFrame frame, std::int64_t now_ps);
  std::int64_t next_ps() const { return events_.empty() ? nothing : events_.top().time_ps; }
  void advance(std::int64_t until_ps);  // everything up to and including it

  // Everything is as with the other, except who is told: what would become of its frames if none were added.
  void repeat(const CsmaBus& other) {
    BusUser* const mine = user_;
    *this = other;
    user_ = mine;
  }

  const BusCounts& counts() const { return counts_; }
  const BusRules& rules() const { return rules_; }
  std::int64_t frame_ps(std::uint32_t bytes) const;  // on the wire, with its preamble
  std::int64_t delay_ps(std::uint32_t from, std::uint32_t to) const;
  std::int64_t longest_delay_ps() const;

 private:
  // In the order in which they happen at the same time: what a station decides at an instant it decides
  // without what begins to reach it then.
  enum class Kind : std::uint8_t { send_ends, signal_ends, gap_ends, backoff_ends, signal_begins };
  struct Event {
    std::int64_t time_ps;
    Kind kind;
    std::uint32_t station;
    std::uint32_t stamp;
    std::uint64_t serial;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      if (a.time_ps != b.time_ps) return a.time_ps > b.time_ps;
      if (a.kind != b.kind) return a.kind > b.kind;
      if (a.station != b.station) return a.station > b.station;
      return a.serial > b.serial;
    }
  };
  enum class Medium : std::uint8_t { free, busy, gap };  // as the station sees it
  struct Station {
    BusStation place;
    std::deque<BusFrame> queue;
    bool working = false;  // on the front of the queue
    bool waiting = false;  // ... which may go as soon as the medium is free
    bool sending = false, collided = false;
    bool was_sending = false;  // since the medium was last free
    int attempts = 0;
    std::uint32_t heard = 0;  // signals of others
    Medium medium = Medium::free;
    std::int64_t began_ps = 0, gap_ps = 0;
    std::uint32_t send_stamp = 0, gap_stamp = 0;
  };

  void add(std::int64_t time_ps, Kind kind, std::uint32_t station, std::uint32_t stamp = 0);
  void begin_next(Station& station, std::int64_t now_ps);
  void try_to_send(Station& station, std::int64_t now_ps);
  void send(Station& station, std::int64_t now_ps);
  void collide(Station& station, std::int64_t now_ps);
  void send_ends(Station& station, std::int64_t now_ps);
  void medium_changes(Station& station, std::int64_t now_ps);
  std::uint32_t number_of(const Station& station) const;

  BusRules rules_;
  std::vector<Station> stations_;
  BusUser* user_;
  std::mt19937_64 random_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t serial_ = 0;
  std::uint32_t senders_ = 0;
  bool episode_collided_ = false;  // of the stations that are on the wire now
  BusCounts counts_;
};

}  // namespace ww::ether

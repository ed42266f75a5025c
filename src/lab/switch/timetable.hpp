// When each frame is where on the lab's wire, without any input or output: what the switch's hands ask. Every
// time is the ideal one by the wire's own rules, whenever the hands wake, so that being late with one frame
// never delays another.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace ww::lab {

// 8 bytes preamble, 4 bytes check sequence and 12 bytes gap (IEEE 802.3, clause 4) besides the bytes that a
// host hands over.
constexpr std::int64_t frame_overhead_bytes = 24;
// Ethernet, IPv4, and TCP with its time stamps.
constexpr std::int64_t tcp_headers_bytes = 14 + 20 + 32;
// What may wait for one port of a switch; a frame beyond that is dropped.
constexpr std::int64_t port_queue_bytes = 512 * 1024;

struct WireTimes {
  double rate_bytes_per_s = 0;  // 0: no limit
  std::int64_t delay_ns = 0;
  std::int64_t jitter_ns = 0;  // at most, beside the delay
  double loss = 0;
  int at_once = 1;  // frames that a card hands over together, at most
  std::int64_t serialise_ns(std::int64_t frame_bytes) const;
  // What should wait at a port besides the frame on the wire: it covers the time by which the caller may be
  // late, or the wire would fall idle meanwhile.
  std::int64_t lookahead_bytes() const;
  // How late that is; without a limit of the rate, what it is at high rates.
  std::int64_t covered_ns() const;
};

// What a host's card hands over at once: a frame, or several of one stream that it cut itself, as cards do that segment. Several
// occupy a link as long as they would one by one, and are with the receiver when the last of them is.
struct CardPiece {
  CardPiece(std::int64_t frame_bytes)
      : bytes(frame_bytes), first_bytes(frame_bytes) {}  // NOLINT: a frame is one
  // So many frames, of which the first has first_bytes, all_bytes together.
  CardPiece(std::int64_t frames, std::int64_t first, std::int64_t all_bytes)
      : bytes(all_bytes + (frames - 1) * frame_overhead_bytes), first_bytes(first) {}
  std::int64_t bytes;        // as of one frame that takes as long
  std::int64_t first_bytes;  // once these have come the receiving link begins
};

// What happened on a shared bus. One hand at a time writes, any thread reads.
struct BusTally {
  std::atomic<std::uint64_t> packets{0}, bytes{0}, given_up{0};  // given up: after 16 attempts
  std::atomic<std::uint64_t> collisions{0}, collided_attempts{0};
  std::atomic<std::int64_t> busy_ns{0};    // frames that got through were on the wire
  std::atomic<std::int64_t> wanted_ns{0};  // a host had one to send
};

class Timetable {
 public:
  // A frame that has been wholly received by its host at time_ns (ideal).
  struct Delivery {
    int port;
    std::uint32_t frame;  // the caller's number for it
    std::int64_t bytes;   // of the CardPiece
    std::int64_t time_ns;
  };
  using Deliver = std::function<void(const Delivery&)>;
  using Drop = std::function<void(std::uint32_t frame)>;  // once for every port that it does not reach
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  explicit Timetable(WireTimes wire) : wire_(wire) {}
  Timetable(const Timetable&) = delete;
  Timetable& operator=(const Timetable&) = delete;
  virtual ~Timetable() = default;

  virtual void set_wire(WireTimes wire) = 0;
  const WireTimes& wire() const { return wire_; }

  // Can another frame of that host be taken in? At most lookahead_bytes wait besides the one on the wire, so
  // that the rest stays in the host, as with a real card.
  virtual bool wants(int port) const = 0;
  // The host had the frame ready at time_ns (not before any earlier call for this port, and not before the
  // last advance). To one port, or (nothing) to all but its own.
  virtual void arrive(int port, std::int64_t time_ns, std::uint32_t frame, CardPiece piece,
                      std::optional<int> to) = 0;
  // Carries out everything that ends at or before now_ns, in time order.
  virtual void advance(std::int64_t now_ns, const Deliver& deliver, const Drop& drop) = 0;
  // No delivery to that port is due before this time.
  virtual std::int64_t next_delivery_ns(int port) const = 0;
  // If no further frame was wanted from that host, it should be asked again by this time: half of what waits
  // has then gone, so that being late leaves the wire busy.
  virtual std::int64_t next_room_ns(int port) const = 0;
  // Does enough wait at that port to keep its link busy for so long?
  virtual bool busy_for(int port, std::int64_t time_ns) const = 0;
  // If the wire is a shared bus.
  virtual const BusTally* bus() const { return nullptr; }

 protected:
  WireTimes wire_;
};

}  // namespace ww::lab

// When each frame is where on the lab's wire: the timetable of a store-and-forward switch, without any input
// or output.
//
// A frame of n bytes occupies its host's link for (n + 24) / rate: 8 bytes preamble, 4 bytes check sequence
// and 12 bytes gap (IEEE 802.3, clause 4) besides the n bytes that the host hands over. It then waits the
// delay, then occupies the receiving host's link for the same time, and is delivered when that ends. Every
// time is on the ideal timetable:
//     ingress start = max(arrival, ingress finish of the port's previous frame)
//     egress start  = max(ingress finish + delay, egress finish of the port's previous frame)
// A piece of several frames goes on when its first frame has finished, so that its last byte is where it would be if they
// were given one by one (the first is the longest).
// With jitter the delay of a frame is longer by a draw, evenly between nothing and jitter_ns, but it is never before the
// frame that went the same way before it; with loss a draw says that it never comes. Draws are by the frames' order at
// their port, so that the frames of a seed fare the same.
// so that a caller who is late (a timer of a virtual machine) delays one frame and never the ones behind it.
#pragma once
#include <deque>
#include <queue>
#include <random>
#include <vector>

#include "lab/switch/timetable.hpp"

namespace ww::lab {

class PortSchedule final : public Timetable {
 public:
  // egress_limit_bytes: what may wait for (not occupy) one egress link; a frame beyond that is dropped.
  PortSchedule(int ports, WireTimes wire, std::int64_t egress_limit_bytes, std::uint64_t seed = 1);

  // Frames whose link time has begun keep the times they have.
  void set_wire(WireTimes wire) override { wire_ = wire; }
  bool wants(int port) const override;
  void arrive(int port, std::int64_t time_ns, std::uint32_t frame, CardPiece piece,
              std::optional<int> to) override;
  void advance(std::int64_t now_ns, const Deliver& deliver, const Drop& drop) override;
  // Exact where frames do not compete for a link.
  std::int64_t next_delivery_ns(int port) const override;
  std::int64_t next_room_ns(int port) const override;
  bool busy_for(int port, std::int64_t time_ns) const override;

 private:
  struct Frame {
    std::int64_t arrival_ns;
    std::uint32_t number;
    CardPiece piece;
    int to;  // a port, or -1 for all but the one it came from
  };
  struct Link {
    std::deque<Frame> frames;  // the front one is on the link if busy, the others wait
    bool busy = false;
    std::int64_t finish_ns = 0;  // of the frame on the link, or of the last one
    std::int64_t waiting_bytes = 0;
  };
  struct Event {
    std::int64_t time_ns;
    std::uint64_t order;  // among equal times: as scheduled
    int port;
    enum class What : std::uint8_t { ingress_first, ingress_end, egress_ready, egress_end } what;
    Frame frame;
    bool operator>(const Event& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
    }
  };

  using Queue = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

  // Puts the front frame on the link, not before time_ns; gives when it has passed.
  std::int64_t start(Link& link, std::int64_t time_ns) const;
  void begin_ingress(int port, std::int64_t time_ns);
  void end_of_ingress(const Event& event, const Drop& drop);
  void pass_on(const Event& event, const Drop& drop);
  void enter_egress(const Event& event, const Drop& drop);
  void push(std::int64_t time_ns, int port, Event::What what, const Frame& frame);
  Queue& next_queue();  // that with the next event

  std::int64_t egress_limit_bytes_;
  std::vector<Link> ingress_, egress_;
  Queue links_;                 // ends of links' frames
  std::vector<Queue> delayed_;  // frames between the links, by the port that they go to
  std::uint64_t order_ = 0;
  struct Way {
    std::mt19937_64 draws;
    std::int64_t ready_ns = 0;  // when the last frame was
  };
  std::vector<Way> ways_;  // from port, to port
};

}  // namespace ww::lab

// Events in the order of time; at the same time in the order of rank, from the lowest or from the highest on,
// then in the order in which they were added.
#pragma once
#include <cstdint>
#include <queue>
#include <vector>

namespace ww::simulate {

enum class EventKind : std::uint8_t {
  resume,        // a rank goes on; target: rank
  arrives,       // a message within a host is there; target: message
  request,       // of a rendezvous, at the receiver; target: message
  reply,         // of a rendezvous or acknowledgement of a synchronous send, at the sender; target: message
  departs,       // an eager message is handed to the network, whose sender went on before; target: message
  data,          // of a rendezvous are handed to the network; target: message
  acknowledged,  // they were, at the sender; target: message
  head,          // a message's first bytes are at the receiving port
  tail,          // ... its last bytes
  port_done,     // a port has served what it was serving; target: port, stamp: see Ports
  network        // a network's own; target and stamp as it likes
};

struct Event {
  double time_s = 0;
  std::int32_t rank = 0;  // whom it concerns, for the order of events at the same time
  std::uint64_t serial = 0;
  EventKind kind = EventKind::resume;
  std::uint32_t target = 0;
  std::uint32_t stamp = 0;
};

class EventQueue {
 public:
  explicit EventQueue(bool higher_rank_first = false) : queue_(Later{higher_rank_first}) {}
  void add(double time_s, std::int32_t rank, EventKind kind, std::uint32_t target, std::uint32_t stamp = 0) {
    queue_.push({time_s, rank, serial_++, kind, target, stamp});
  }
  bool empty() const { return queue_.empty(); }
  const Event& next() const { return queue_.top(); }
  Event take() {
    const Event event = queue_.top();
    queue_.pop();
    return event;
  }

 private:
  struct Later {
    bool higher_rank_first;
    bool operator()(const Event& a, const Event& b) const {
      if (a.time_s != b.time_s) return a.time_s > b.time_s;
      if (a.rank != b.rank) return (a.rank > b.rank) != higher_rank_first;
      return a.serial > b.serial;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  std::uint64_t serial_ = 0;
};

}  // namespace ww::simulate

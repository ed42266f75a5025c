// Events in the order of time; at the same time in the order of rank, from the lowest or from the highest on,
// then in the order in which they were added.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/result.hpp"

namespace ww::simulate {

enum class EventKind : std::uint8_t {
  resume,        // a rank goes on; target: rank
  arrives,       // a message within a host is there; target: message
  request,       // of a rendezvous, at the receiver; target: message
  reply,         // of a rendezvous or acknowledgement of a synchronous send, at the sender; target: message
  departs,       // an eager message is handed to the network, whose sender went on before; target: message
  data,          // of a rendezvous are handed to the network; target: message
  landed,        // they are with the receiver's host, which acknowledges them; target: message
  acknowledged,  // they were, at the sender; target: message
  told,  // the receiver knows that they are there, later than where nothing is in the acknowledgement's way; target: message
  head,  // a message's first bytes are at the receiving port
  tail,  // ... its last bytes
  port_done,  // a port has served what it was serving; target: port, stamp: see Ports
  network     // a network's own; target and stamp as it likes
};

struct Event {
  double time_s = 0;
  std::int32_t rank = 0;  // whom it concerns, for the order of events at the same time
  EventKind kind = EventKind::resume;
  std::uint32_t target = 0;
  std::uint32_t stamp = 0;
};

// A heap in which each has four below it: half as deep as one of two. What is compared lies in few bytes; the rest of an event, and
// what decides between two at the same time, beside it.
class EventQueue {
 public:
  explicit EventQueue(bool higher_rank_first = false) : higher_rank_first_(higher_rank_first) {}

  void add(double time_s, std::int32_t rank, EventKind kind, std::uint32_t target, std::uint32_t stamp = 0) {
    WW_INVARIANT(time_s >= 0);
    const Node node{std::bit_cast<std::uint64_t>(time_s + 0.0), keep({serial_++, rank, target, stamp, kind})};
    std::size_t at = heap_.size();
    heap_.push_back(node);
    for (; at > 0; at = (at - 1) / below) {
      const std::size_t above = (at - 1) / below;
      if (!is_before(node, heap_[above])) break;
      heap_[at] = heap_[above];
    }
    heap_[at] = node;
  }
  bool empty() const { return heap_.empty(); }
  double next_time_s() const { return std::bit_cast<double>(heap_.front().time); }

  Event take() {
    const Node first = heap_.front();
    const Node last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    free_.push_back(first.place);
    const Rest& rest = rest_[first.place];
    return {std::bit_cast<double>(first.time), rest.rank, rest.kind, rest.target, rest.stamp};
  }

 private:
  static constexpr std::size_t below = 4;

  struct Node {
    std::uint64_t time;  // a double's bits, whose order is that of the times, as these are not negative
    std::uint32_t place;
  };
  struct Rest {
    std::uint64_t serial;
    std::int32_t rank;
    std::uint32_t target, stamp;
    EventKind kind;
  };

  bool is_before(const Node& a, const Node& b) const {
    return a.time != b.time ? a.time < b.time : comes_first(rest_[a.place], rest_[b.place]);
  }
  bool comes_first(const Rest& a, const Rest& b) const {
    if (a.rank != b.rank) return (a.rank < b.rank) != higher_rank_first_;
    return a.serial < b.serial;
  }

  std::uint32_t keep(const Rest& rest) {
    if (free_.empty()) {
      rest_.push_back(rest);
      return static_cast<std::uint32_t>(rest_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    rest_[place] = rest;
    return place;
  }

  void sink(const Node& node) {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (std::size_t first = 1; first < size; first = below * at + 1) {
      std::size_t least = first;
      const std::size_t end = std::min(first + below, size);
      for (std::size_t other = first + 1; other < end; ++other)
        if (is_before(heap_[other], heap_[least])) least = other;
      if (!is_before(heap_[least], node)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = node;
  }

  bool higher_rank_first_;
  std::uint64_t serial_ = 0;
  std::vector<Node> heap_;
  std::vector<Rest> rest_;
  std::vector<std::uint32_t> free_;  // of these
};

}  // namespace ww::simulate

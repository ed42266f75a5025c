// When replies to requests for large messages go, in a play of messages: the rules of simulate/events/reading.hpp, which were
// found in runs of Open MPI's ob1 and MPICH's UCX over TCP (docs/design/simulation.md), on clocks in place of events.
//
// A library that works inside calls reads requests while its rank waits in one, as they come, and a little longer
// (MessageCosts::together_s). What comes afterwards, while it computes or sends, it reads when it waits again. And a reply is
// of one stream with the data of its direction: it lies behind what its rank wrote to the same host before it read.
// So whether two large messages that meet go at once or one after the other depends on who was read first.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// What hosts wrote to hosts last: of one play, or of all that are of one communicator, whose key is not 0.
class WrittenLast {
 public:
  // `since_s`: what the play's times count from.
  void begin_play(uint64_t communicator, double since_s) {
    of_ = communicator != 0 ? communicator : ++plays_;
    since_s_ = since_s;
  }
  // Data that were handed over at `at_s` have left the sending port at `left_s`.
  void note(int from_host, int to_host, double at_s, double left_s) {
    Last& last = place_of(from_host, to_host);
    last = {of_, from_host, to_host, since_s_ + at_s, since_s_ + left_s};
  }
  // When what is written at `at_s` leaves. Of more pairs of hosts than are remembered some have nothing in front of them.
  double behind_s(int from_host, int to_host, double at_s) {
    const Last& last = place_of(from_host, to_host);
    const bool there = last.of == of_ && last.from == from_host && last.to == to_host;
    const double left_s = last.left_s - since_s_;
    return there && last.at_s <= since_s_ + at_s && left_s > at_s ? left_s : at_s;
  }

 private:
  struct Last {
    uint64_t of;
    int from, to;
    double at_s, left_s;
  };
  static constexpr unsigned remembered = 512;
  Last& place_of(int from, int to) {
    return last_[(static_cast<unsigned>(from) * 61u + static_cast<unsigned>(to)) % remembered];
  }
  uint64_t of_ = 0, plays_ = 0;
  double since_s_ = 0;
  Last last_[remembered] = {};
};

// Of one rank.
struct Reading {
  double looked_s;        // until when it read what came, when it waited last
  double waits_s;         // from when on it waits again
  double writes_until_s;  // it hands data over, and does not read on before it is through
  bool is_asked_for_data =
      false;  // where it does not read either before they go: by the reply that comes then

  void is_asked_for(double answered_s) {
    is_asked_for_data = true;
    if (answered_s > writes_until_s) writes_until_s = answered_s;
  }

  // When a request is read that comes at `comes_s` for a receive that is posted at `posted_s`, and so the reply written. The
  // rank waits from `waits_s` on until all is there.
  double answers_s(double comes_s, double posted_s, double together_s) const {
    if (comes_s <= looked_s + together_s) return comes_s > posted_s ? comes_s : posted_s;
    return comes_s > waits_s ? comes_s : waits_s;
  }
};

// What is to be done next, earliest first; of one instant what was added first.
class ReplyAgenda {
 public:
  struct Item {
    double at_s;
    uint64_t order;
    uint32_t message;
    bool reply;  // else its request is read
  };
  explicit ReplyAgenda(Item* memory) : item_(memory) {}  // for as many as are in it at one time
  bool empty() const { return count_ == 0; }
  void add(double at_s, uint32_t message, bool reply) {
    Item next{at_s, added_++, message, reply};
    uint64_t at = count_++;
    for (; at > 0 && before(next, item_[(at - 1) / 2]); at = (at - 1) / 2) item_[at] = item_[(at - 1) / 2];
    item_[at] = next;
  }
  Item take() {
    const Item first = item_[0], last = item_[--count_];
    uint64_t at = 0;
    for (uint64_t child = 1; child < count_; child = 2 * at + 1) {
      if (child + 1 < count_ && before(item_[child + 1], item_[child])) ++child;
      if (!before(item_[child], last)) break;
      item_[at] = item_[child];
      at = child;
    }
    item_[at] = last;
    return first;
  }

 private:
  static bool before(const Item& a, const Item& b) {
    return a.at_s != b.at_s ? a.at_s < b.at_s : a.order < b.order;
  }
  Item* item_;
  uint64_t count_ = 0, added_ = 0;
};

}  // namespace ww::interpose

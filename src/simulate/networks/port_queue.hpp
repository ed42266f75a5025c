// What waits for a port, and who of it is next by the rule of arbitration.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "simulate/arbitration.hpp"

namespace ww::simulate {

// First come first served needs no more than a queue. The other rules give a message a key when it comes, and
// the smallest is next (among equals what came first):
//   turns   the round in which its pair has its turn: one after that of the message before it, or the one
//   that
//           is being served if that is later
//   shares  when it would be through if all pairs shared the port (Demers, Keshav, Shenker 1989): the key of
//           the message before it, or where the one that is being served began if that is later, and its
//           length
class PortWaiting {
 public:
  explicit PortWaiting(Arbitration rule = Arbitration::first_come) : rule_(rule) {}

  bool empty() const { return queue_.empty() && heap_.empty(); }

  // pair: of ranks. The message is served at once and does not wait.
  void pass(std::uint64_t pair, double length_s) {
    if (by_key()) serve(next_key(pair, length_s), length_s);
  }

  void add(std::uint32_t message, std::uint64_t pair, double length_s) {
    if (!by_key()) {
      queue_.push_back(message);
      return;
    }
    heap_.push_back({next_key(pair, length_s), length_s, serial_++, message});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  std::uint32_t take() {
    if (!by_key()) {
      const std::uint32_t message = queue_.front();
      queue_.pop_front();
      return message;
    }
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry entry = heap_.back();
    heap_.pop_back();
    serve(entry.key, entry.length_s);
    return entry.message;
  }

 private:
  struct Entry {
    double key = 0, length_s = 0;
    std::uint64_t serial = 0;
    std::uint32_t message = 0;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.key != b.key ? a.key > b.key : a.serial > b.serial;
  }
  bool by_key() const { return rule_ == Arbitration::turns || rule_ == Arbitration::shares; }
  double share(double length_s) const { return rule_ == Arbitration::turns ? 1 : length_s; }
  double next_key(std::uint64_t pair, double length_s) {
    double& last = last_key_[pair];
    return last = std::max(began_, last) + share(length_s);
  }
  void serve(double key, double length_s) { began_ = std::max(began_, key - share(length_s)); }

  Arbitration rule_;
  std::deque<std::uint32_t> queue_;
  std::vector<Entry> heap_;
  std::unordered_map<std::uint64_t, double> last_key_;  // by pair
  double began_ = 0;                                    // the key at which what is being served began
  std::uint64_t serial_ = 0;
};

}  // namespace ww::simulate

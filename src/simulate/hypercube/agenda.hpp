// What happens when. At the same time in the order in which it was put down, so that runs repeat exactly.
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace ww::simulate::hypercube {

class Agenda {
 public:
  double now_s() const { return now_s_; }
  std::uint64_t done() const { return done_; }
  void at(double time_s, std::function<void()> what) { queue_.push({time_s, serial_++, std::move(what)}); }
  // False when nothing is left.
  bool step() {
    if (queue_.empty()) return false;
    const Item item = queue_.top();
    queue_.pop();
    now_s_ = item.time_s;
    ++done_;
    item.what();
    return true;
  }

 private:
  struct Item {
    double time_s = 0;
    std::uint64_t serial = 0;
    std::function<void()> what;
  };
  struct Later {
    bool operator()(const Item& a, const Item& b) const {
      return a.time_s != b.time_s ? a.time_s > b.time_s : a.serial > b.serial;
    }
  };
  std::priority_queue<Item, std::vector<Item>, Later> queue_;
  double now_s_ = 0;
  std::uint64_t serial_ = 0, done_ = 0;
};

}  // namespace ww::simulate::hypercube

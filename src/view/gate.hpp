// Lets so many in at once; others wait for some time.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/cancellation.hpp"

namespace ww::view {

class Gate {
 public:
  explicit Gate(std::size_t places) : free_(places) {}

  class Place {
   public:
    explicit Place(Gate* gate) : gate_(gate) {}
    Place(Place&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (gate_ != nullptr) gate_->leave();
    }
    explicit operator bool() const { return gate_ != nullptr; }

   private:
    Gate* gate_;
  };

  // No place: the time has passed, too many wait already, or nobody wants it any more.
  Place enter(std::chrono::milliseconds patience, std::size_t most_waiting, const Cancellation& stop) {
    std::unique_lock lock(mutex_);
    if (free_ == 0) {
      if (waiting_ >= most_waiting) return Place(nullptr);
      ++waiting_;
      constexpr std::chrono::milliseconds between_looks{100};
      const auto until = std::chrono::steady_clock::now() + patience;
      bool came = false;
      while (!came && !stop.requested() && std::chrono::steady_clock::now() < until)
        came = freed_.wait_for(lock, between_looks, [&] { return free_ > 0; });
      --waiting_;
      if (!came) return Place(nullptr);
      if (stop.requested()) {  // who waits beside takes the place
        freed_.notify_one();
        return Place(nullptr);
      }
    }
    --free_;
    return Place(this);
  }

 private:
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    freed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t free_, waiting_ = 0;
};

}  // namespace ww::view

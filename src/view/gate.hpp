// Lets so many in at once; others wait for some time.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>

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

  // No place: the time has passed, or too many wait already.
  Place enter(std::chrono::milliseconds patience, std::size_t most_waiting) {
    std::unique_lock lock(mutex_);
    if (free_ == 0) {
      if (waiting_ >= most_waiting) return Place(nullptr);
      ++waiting_;
      const bool came = freed_.wait_for(lock, patience, [&] { return free_ > 0; });
      --waiting_;
      if (!came) return Place(nullptr);
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

// A lock for threads that keep to one core each and are not interrupted by one another: held for a
// microsecond, waited for by spinning; a system call to sleep would take longer.
#pragma once
#include <sched.h>

#include <atomic>

namespace ww::lab {

class SwitchLock {
 public:
  void lock() {
    // Without real-time priority the holder may have been interrupted: then its core is left to it.
    for (int tries = 1; held_.exchange(true, std::memory_order_acquire); ++tries)
      if (tries % 1000 == 0) sched_yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace ww::lab

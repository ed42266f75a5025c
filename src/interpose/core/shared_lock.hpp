// A lock in memory that processes share, for virtual time only: real time does not matter there, and the
// holder may have lost its core. A process that died with it does not stop the others for ever; their
// launcher ends them.
#pragma once
#include <sched.h>
#include <stdint.h>

namespace ww::interpose {

inline constexpr int most_tries = 10'000'000;

inline void wait_for(const uint32_t& flag) {
  for (int tries = 0; __atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0 && tries < most_tries; ++tries)
    sched_yield();
}

class SharedLock {
 public:
  explicit SharedLock(uint32_t& lock) : lock_(lock) {
    for (int tries = 0; __atomic_exchange_n(&lock_, 1, __ATOMIC_ACQUIRE) != 0 && tries < most_tries; ++tries)
      sched_yield();
  }
  ~SharedLock() { __atomic_store_n(&lock_, 0, __ATOMIC_RELEASE); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  uint32_t& lock_;
};

}  // namespace ww::interpose

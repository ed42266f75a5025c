// A lock in memory that processes share, for virtual time only: real time does not matter there, and the
// holder may have lost its core. The lock holds the number of the process that has it: one that died with it
// is succeeded by one of those that wait, one that lives is waited for.
#pragma once
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

namespace ww::interpose {

inline constexpr int tries_between_looks = 1'000;

inline bool is_gone(uint32_t process) {
  return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

// Until `process` has set the flag. False: it died before that.
inline bool wait_for(const uint32_t& flag, const uint32_t& process) {
  for (int tries = 1; __atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0; ++tries) {
    sched_yield();
    if (tries % tries_between_looks == 0 && is_gone(__atomic_load_n(&process, __ATOMIC_RELAXED)))
      return __atomic_load_n(&flag, __ATOMIC_ACQUIRE) != 0;
  }
  return true;
}

class SharedLock {
 public:
  explicit SharedLock(uint32_t& lock) : lock_(lock) {
    const auto own = static_cast<uint32_t>(getpid());
    for (int tries = 1;; ++tries) {
      uint32_t holder = 0;
      if (__atomic_compare_exchange_n(&lock_, &holder, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
      sched_yield();
      if (tries % tries_between_looks == 0 && is_gone(holder) &&
          __atomic_compare_exchange_n(&lock_, &holder, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    }
  }
  ~SharedLock() { __atomic_store_n(&lock_, 0, __ATOMIC_RELEASE); }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  uint32_t& lock_;
};

}  // namespace ww::interpose

// Included before all sources (wasm/CMakeLists.txt): what libc++ leaves out of its headers where there are no threads and no files, as it
// is where there is one thread and no file. So the sources need not know.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#if !defined(_LIBCPP_HAS_NO_THREADS) || !defined(_LIBCPP_HAS_NO_FILESYSTEM)
#error "this libc++ has threads or files"
#endif

namespace std {

class mutex {
 public:
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};
using shared_mutex = mutex;

struct defer_lock_t {};

template <class Mutex>
class unique_lock {
 public:
  explicit unique_lock(Mutex&) {}
  void lock() { owns_ = true; }
  void unlock() { owns_ = false; }
  bool owns_lock() const { return owns_; }

 private:
  bool owns_ = true;
};
template <class... Mutexes>
class scoped_lock {
 public:
  explicit scoped_lock(Mutexes&...) {}
};
template <class Mutex>
class shared_lock {
 public:
  explicit shared_lock(Mutex&) {}
};

// Who waits for what nobody else can bring about waits for ever: that is a defect.
class condition_variable {
 public:
  void notify_one() {}
  void notify_all() {}
  template <class Lock, class Ready>
  void wait(Lock&, Ready ready) {
    if (!ready()) abort();
  }
  template <class Lock, class Duration, class Ready>
  bool wait_for(Lock&, const Duration&, Ready ready) {
    return ready();
  }
  template <class Lock, class Instant, class Ready>
  bool wait_until(Lock&, const Instant&, Ready ready) {
    return ready();
  }
};

// Its work is done when it is made.
class thread {
 public:
  thread() = default;
  template <class Work, class... Arguments>
  explicit thread(Work&& work, Arguments&&... arguments) : joinable_(true) {
    std::invoke(std::forward<Work>(work), std::forward<Arguments>(arguments)...);
  }
  bool joinable() const { return joinable_; }
  void join() { joinable_ = false; }
  static unsigned hardware_concurrency() { return 1; }

 private:
  bool joinable_ = false;
};

// Nobody does anything meanwhile.
namespace this_thread {
template <class Duration>
void sleep_for(const Duration&) {}
}  // namespace this_thread

// What cannot be opened.
template <>
class basic_ofstream<char> {
 public:
  explicit operator bool() const { return false; }
};

namespace filesystem {

inline bool exists(const path&, error_code&) {
  return false;
}
inline bool is_directory(const path&, error_code&) {
  return false;
}
inline path canonical(const path& of, error_code&) {
  return of;
}

}  // namespace filesystem

}  // namespace std

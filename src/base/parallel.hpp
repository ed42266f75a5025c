// Independent pieces of work over the processors of this host.
#pragma once
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.hpp"

namespace ww {

// processors(): of this host. in_parallel():
// work(i) for i in [0, count), Result<void> each, in no order, by at most `threads` threads. After an error
// no further piece is begun; the error of the lowest piece that failed is given. An exception of a piece is
// thrown here, once the other threads have ended.
//
// The exported page's WebAssembly has no threads: the pieces are done one after the other.
#ifdef __STDCPP_THREADS__
inline std::size_t processors() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

template <class Work>
Result<void> in_parallel(std::size_t count, std::size_t threads, Work work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::optional<std::pair<std::size_t, Error>> first;
  std::exception_ptr thrown;
  const auto take = [&] {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        Result<void> done = work(i);
        if (done) continue;
        failed = true;
        const std::lock_guard lock(mutex);
        if (!first || i < first->first) first.emplace(i, std::move(done.error()));
      } catch (...) {
        failed = true;
        const std::lock_guard lock(mutex);
        thrown = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(take);
  take();
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
  if (first) return tl::unexpected(std::move(first->second));
  return {};
}
#else
inline std::size_t processors() {
  return 1;
}
template <class Work>
Result<void> in_parallel(std::size_t count, std::size_t, Work work) {
  for (std::size_t i = 0; i < count; ++i) WW_CHECK(work(i));
  return {};
}
#endif

}  // namespace ww

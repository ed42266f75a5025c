// For windows.cpp: threads that wait for each other every few microseconds.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace ww::schedule {

// Spins: a window takes microseconds. Who waits long lets others run.
class Barrier {
 public:
  explicit Barrier(std::size_t threads) : threads_(threads) {}
  void wait() {
    const std::uint64_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    constexpr int patience = 1000;
    for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins)
      if (spins < patience)
        __builtin_ia32_pause();
      else
        std::this_thread::yield();
  }

 private:
  const std::size_t threads_;
  alignas(64) std::atomic<std::size_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint64_t> round_ = 0;
};

}  // namespace ww::schedule

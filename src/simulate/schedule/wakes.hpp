// For windows.cpp: who goes on when.
#pragma once
#include <bit>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace ww::schedule {

// Ranks by the window in which they go on: a ring of near windows, and a heap of those beyond.
class Wakes {
 public:
  void add(std::int64_t now, std::int64_t window, std::uint32_t rank) {
    if (window - now < size) {
      const auto slot = slot_of(window);
      ring_[slot].push_back(rank);
      full_[slot / 64] |= std::uint64_t{1} << (slot % 64);
      ++near_;
    } else {
      far_.push({window, rank});
    }
  }
  std::vector<std::uint32_t>& of(std::int64_t window) {
    while (!far_.empty() && far_.top().first <= window) {
      if (far_.top().first == window) add(window, window, far_.top().second);
      far_.pop();
    }
    return ring_[slot_of(window)];
  }
  void clear(std::int64_t window) {
    const auto slot = slot_of(window);
    near_ -= ring_[slot].size();
    ring_[slot].clear();
    full_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }
  // The next window after `now` in which a rank goes on; -1: none.
  std::int64_t next(std::int64_t now) const {
    std::int64_t window = far_.empty() ? -1 : far_.top().first;
    if (near_ == 0) return window;
    for (std::int64_t step = 1; step < size;) {
      const std::int64_t slot = (now + step) % size;
      const std::uint64_t word = full_[static_cast<std::size_t>(slot / 64)] >> (slot % 64);
      if (word == 0) {
        step += 64 - slot % 64;
        continue;
      }
      const std::int64_t found = now + step + std::countr_zero(word);
      return window < 0 ? found : std::min(found, window);
    }
    return window;
  }

 private:
  static constexpr std::int64_t size = 4096;
  static std::size_t slot_of(std::int64_t window) {
    return static_cast<std::size_t>(window) % static_cast<std::size_t>(size);
  }
  std::vector<std::vector<std::uint32_t>> ring_{static_cast<std::size_t>(size)};
  std::vector<std::uint64_t> full_ = std::vector<std::uint64_t>(static_cast<std::size_t>(size / 64), 0);
  std::size_t near_ = 0;
  using Far = std::pair<std::int64_t, std::uint32_t>;
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
};

}  // namespace ww::schedule

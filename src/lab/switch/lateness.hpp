// How late frames leave, and how much earlier a timer must be set so that they do not.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace ww::lab {

// A histogram with 16 classes per power of two (6% wide). One thread adds, any thread reads.
class LatenessClasses {
 public:
  void add(std::int64_t value_ns, std::uint64_t times = 1) {
    const std::uint64_t value = value_ns > 0 ? static_cast<std::uint64_t>(value_ns) : 0;
    auto& count = counts_[class_of(value)];
    count.store(count.load(std::memory_order_relaxed) + times, std::memory_order_relaxed);
    if (value > max_.load(std::memory_order_relaxed)) max_.store(value, std::memory_order_relaxed);
  }
  std::int64_t max_ns() const { return static_cast<std::int64_t>(max_.load(std::memory_order_relaxed)); }
  // The middle of the class that holds the share-th value; 0 if there is none.
  std::int64_t quantile_ns(double share) const {
    std::uint64_t total = 0;
    for (const auto& count : counts_) total += count.load(std::memory_order_relaxed);
    if (total == 0) return 0;
    const double wanted = share * static_cast<double>(total);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i].load(std::memory_order_relaxed);
      if (seen > 0 && static_cast<double>(seen) >= wanted) return middle(i);
    }
    return max_ns();
  }

 private:
  static constexpr unsigned split = 4;  // 2^4 classes a power of two
  static std::size_t class_of(std::uint64_t value) {
    if (value < (1u << split)) return static_cast<std::size_t>(value);
    const unsigned top = static_cast<unsigned>(std::bit_width(value)) - 1;
    return ((top - split + 1) << split) + ((value >> (top - split)) & ((1u << split) - 1));
  }
  static std::int64_t middle(std::size_t index) {
    if (index < (1u << split)) return static_cast<std::int64_t>(index);
    const std::size_t top = (index >> split) + split - 1;
    const std::int64_t low = ((1 << split) + static_cast<std::int64_t>(index & ((1u << split) - 1)))
                             << (top - split);
    return low + (std::int64_t{1} << (top - split)) / 2;
  }
  std::array<std::atomic<std::uint64_t>, 62 << split> counts_{};
  std::atomic<std::uint64_t> max_{0};
};

// What a switch counts.
struct Counters {
  std::atomic<std::uint64_t> frames{0}, bytes{0}, dropped{0}, spun_ns{0};
  std::atomic<std::uint64_t> late_frames{0};  // by more than the wire of that time covers
  LatenessClasses late;
};

// Follows a quantile of how late timers ring by small steps (Robbins and Monro 1951), without keeping
// samples.
class TimerLateness {
 public:
  explicit TimerLateness(double quantile) : quantile_(quantile) {}
  void add(std::int64_t late_ns) {
    estimate_ns_ += step_ns * (quantile_ - (static_cast<double>(late_ns) < estimate_ns_ ? 1.0 : 0.0));
    if (estimate_ns_ < 0) estimate_ns_ = 0;
    if (estimate_ns_ > most_ns) estimate_ns_ = most_ns;
  }
  std::int64_t usual_ns() const { return static_cast<std::int64_t>(estimate_ns_); }

 private:
  static constexpr double step_ns = 1000, most_ns = 150'000;
  double quantile_;
  double estimate_ns_ = 0;
};

}  // namespace ww::lab

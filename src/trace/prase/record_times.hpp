// The times of a process's records, which are numbers of 32 bits: they go on from the smallest behind the largest, 24.8 days after the start, and
// every 49.7 days from then on.
#pragma once
#include <cstdint>
#include <optional>

#include "trace/prase/event_record.hpp"

namespace ww::prase {

inline constexpr std::int64_t ns_a_ms = 1'000'000;

struct RecordTimes {
  std::int64_t begin_ms = 0, end_ms = 0;
};

// Records are written as they end, so that each ends within 24.8 days of the one before it, and begins within as much of its end: by these steps times
// go on beyond what a field holds. Steps back stay what they are, and so do ends before their begins: clocks of nodes are set by S5's exchange.
class UnwrappedTimes {
 public:
  RecordTimes of(const EventRecord& record) {
    last_ms_ =
        last_ms_ ? *last_ms_ + step(static_cast<std::int32_t>(*last_ms_), record.end_ms) : record.end_ms;
    return {*last_ms_ - step(record.begin_ms, record.end_ms), *last_ms_};
  }

 private:
  static std::int32_t step(std::int32_t from_ms, std::int32_t to_ms) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(to_ms) - static_cast<std::uint32_t>(from_ms));
  }
  std::optional<std::int64_t> last_ms_;
};

// What of a time the field holds.
inline std::int32_t wrapped_ms(std::int64_t ms) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(ms)));
}

}  // namespace ww::prase

// Occupancy: what the time of rows (of ranks) went to, in bins of time. Sums of parts in nanoseconds, so that cells
// can be added up and nothing is lost.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/column.hpp"

namespace ww::view {

inline constexpr std::uint32_t tile_bins = 256, tile_rows = 64;

// Cell (row, bin) has the entries [first[row * bins + bin], first[... + 1]), by key, each of more than 0 ns.
struct Cells {
  std::uint32_t rows = 0, bins = 0;
  std::vector<std::uint32_t> first;
  std::vector<std::uint16_t> key;
  std::vector<std::uint64_t> ns;

  bool operator==(const Cells&) const = default;
};

// Fills Cells row by row.
class CellSums {
 public:
  // From `from_ns` on, bins of 2^level ns.
  CellSums(std::int64_t from_ns, std::uint32_t level, std::uint32_t bins, std::size_t keys);
  std::int64_t from_ns() const { return from_ns_; }
  std::int64_t to_ns() const { return to_ns_; }
  // Of [from_ns, to_ns) what lies in the bins.
  void add(std::uint16_t key, std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t from = from_ns < from_ns_ ? from_ns_ : from_ns, to = to_ns > to_ns_ ? to_ns_ : to_ns;
    if (from >= to) return;
    const auto first = static_cast<std::uint64_t>(from - from_ns_) >> level_,
               last = static_cast<std::uint64_t>(to - 1 - from_ns_) >> level_;
    if (first == last)
      sums_[first * keys_ + key] += static_cast<std::uint64_t>(to - from);
    else
      spread(key, from, to, first, last);
  }
  // What was added is the next row.
  void end_row();
  Cells take() { return std::move(cells_); }

 private:
  void spread(std::uint16_t key, std::int64_t from, std::int64_t to, std::uint64_t first, std::uint64_t last);

  std::int64_t from_ns_, to_ns_;
  std::uint32_t level_;
  std::size_t keys_;
  std::vector<std::uint64_t> sums_;  // by bin, then key
  Cells cells_;
};

// The same rows, in bins twice as long: first those of `earlier`, then those of `later`.
Cells join(const Cells& earlier, const Cells& later);

// Four rows of these are one.
Cells join_rows(const Cells& cells);

void pack(const Cells& cells, std::vector<char>& out);
// Nothing: these are not the cells of so many rows and keys.
std::optional<Cells> unpack(std::span<const char> bytes, std::uint32_t rows, std::size_t keys);

}  // namespace ww::view

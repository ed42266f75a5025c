#include "view/cells.hpp"

#include <algorithm>

namespace ww::view {
namespace {

// Each cell begins with twice the number of its entries, each a key and its time; or with this, and has the keys of
// the cell before it.
constexpr std::uint64_t keys_of_before = 1;

void put_number(std::vector<char>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

class Numbers {
 public:
  explicit Numbers(std::span<const char> bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) break;
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    good_ = false;
    return 0;
  }
  bool good() const { return good_; }
  bool at_end() const { return at_ == end_; }

 private:
  const char *at_, *end_;
  bool good_ = true;
};

}  // namespace

CellSums::CellSums(std::int64_t from_ns, std::uint32_t level, std::uint32_t bins, std::size_t keys)
    : from_ns_(from_ns),
      to_ns_(from_ns + (static_cast<std::int64_t>(bins) << level)),
      level_(level),
      keys_(keys),
      sums_(bins * keys) {
  cells_.bins = bins;
  cells_.first.push_back(0);
}

void CellSums::spread(std::uint16_t key, std::int64_t from, std::int64_t to, std::uint64_t first,
                      std::uint64_t last) {
  const std::uint64_t bin_ns = std::uint64_t{1} << level_;
  const auto begin = static_cast<std::uint64_t>(from - from_ns_),
             end = static_cast<std::uint64_t>(to - from_ns_);
  sums_[first * keys_ + key] += (first + 1) * bin_ns - begin;
  for (std::uint64_t bin = first + 1; bin < last; ++bin) sums_[bin * keys_ + key] += bin_ns;
  sums_[last * keys_ + key] += end - last * bin_ns;
}

void CellSums::end_row() {
  for (std::size_t bin = 0; bin < cells_.bins; ++bin) {
    std::uint64_t* const sums = sums_.data() + bin * keys_;
    for (std::size_t key = 0; key < keys_; ++key) {
      if (sums[key] == 0) continue;
      cells_.key.push_back(static_cast<std::uint16_t>(key));
      cells_.ns.push_back(sums[key]);
      sums[key] = 0;
    }
    cells_.first.push_back(static_cast<std::uint32_t>(cells_.key.size()));
  }
  ++cells_.rows;
}

Cells join(const Cells& earlier, const Cells& later) {
  WW_INVARIANT(earlier.rows == later.rows && earlier.bins == later.bins && earlier.bins % 2 == 0);
  Cells out;
  out.rows = earlier.rows;
  out.bins = earlier.bins;
  out.first.push_back(0);
  for (std::size_t row = 0; row < out.rows; ++row)
    for (const Cells* half : {&earlier, &later})
      for (std::size_t bin = 0; bin < out.bins; bin += 2) {
        const std::size_t cell = row * out.bins + bin;
        std::uint32_t a = half->first[cell], b = half->first[cell + 1];
        const std::uint32_t a_end = b, b_end = half->first[cell + 2];
        while (a < a_end || b < b_end) {
          const bool takes_a = a < a_end && (b == b_end || half->key[a] <= half->key[b]);
          const bool takes_b = b < b_end && (a == a_end || half->key[b] <= half->key[a]);
          out.key.push_back(half->key[takes_a ? a : b]);
          std::uint64_t ns = 0;
          if (takes_a) ns += half->ns[a++];
          if (takes_b) ns += half->ns[b++];
          out.ns.push_back(ns);
        }
        out.first.push_back(static_cast<std::uint32_t>(out.key.size()));
      }
  return out;
}

Cells join_rows(const Cells& cells) {
  constexpr std::uint32_t rows_a_row = 4;
  Cells out;
  out.rows = (cells.rows + rows_a_row - 1) / rows_a_row;
  out.bins = cells.bins;
  out.first.push_back(0);
  std::vector<std::pair<std::uint16_t, std::uint64_t>> sums;
  for (std::size_t row = 0; row < out.rows; ++row)
    for (std::size_t bin = 0; bin < out.bins; ++bin) {
      sums.clear();
      const std::size_t end = std::min<std::size_t>(cells.rows, (row + 1) * rows_a_row);
      for (std::size_t from = row * rows_a_row; from < end; ++from) {
        const std::size_t cell = from * cells.bins + bin;
        for (std::uint32_t i = cells.first[cell]; i < cells.first[cell + 1]; ++i) {
          const auto known = std::find_if(sums.begin(), sums.end(),
                                          [&](const auto& one) { return one.first == cells.key[i]; });
          if (known == sums.end())
            sums.emplace_back(cells.key[i], cells.ns[i]);
          else
            known->second += cells.ns[i];
        }
      }
      std::sort(sums.begin(), sums.end());
      for (const auto& [key, ns] : sums) {
        out.key.push_back(key);
        out.ns.push_back(ns);
      }
      out.first.push_back(static_cast<std::uint32_t>(out.key.size()));
    }
  return out;
}

void pack(const Cells& cells, std::vector<char>& out) {
  const auto keys_of = [&](std::size_t cell) {
    return std::span(cells.key).subspan(cells.first[cell], cells.first[cell + 1] - cells.first[cell]);
  };
  for (std::size_t cell = 0; cell + 1 < cells.first.size(); ++cell) {
    const auto keys = keys_of(cell);
    const bool same = cell > 0 && !keys.empty() && std::ranges::equal(keys, keys_of(cell - 1));
    put_number(out, same ? keys_of_before : 2 * keys.size());
    for (std::uint32_t i = cells.first[cell]; i < cells.first[cell + 1]; ++i) {
      if (!same) put_number(out, cells.key[i]);
      put_number(out, cells.ns[i]);
    }
  }
}

std::optional<Cells> unpack(std::span<const char> bytes, std::uint32_t rows, std::size_t keys) {
  Numbers numbers(bytes);
  Cells out;
  out.rows = rows;
  out.bins = tile_bins;
  const std::size_t cells = std::size_t{rows} * tile_bins;
  out.first.reserve(cells + 1);
  out.first.push_back(0);
  out.key.reserve(bytes.size() / 4);
  out.ns.reserve(bytes.size() / 4);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::uint64_t said = numbers.next();
    const bool same = said == keys_of_before;
    if (!numbers.good() || (!same && said % 2 != 0) || (same && cell == 0)) return std::nullopt;
    const std::uint64_t count = same ? out.first[cell] - out.first[cell - 1] : said / 2;
    if (count > keys) return std::nullopt;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t key = same ? out.key[out.first[cell - 1] + i] : numbers.next();
      const std::uint64_t ns = numbers.next();
      if (!numbers.good() || key >= keys || ns == 0) return std::nullopt;
      if (i > 0 && key <= out.key.back()) return std::nullopt;
      out.key.push_back(static_cast<std::uint16_t>(key));
      out.ns.push_back(ns);
    }
    out.first.push_back(static_cast<std::uint32_t>(out.key.size()));
  }
  if (!numbers.at_end()) return std::nullopt;
  return out;
}

}  // namespace ww::view

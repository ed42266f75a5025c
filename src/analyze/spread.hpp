// What analyses say of many values: their spread, their histogram, and how they lie in time.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/column.hpp"

namespace ww {

// Of no values all are 0. Quantiles are linear between neighbours (Hyndman & Fan 1996, type 7).
struct Spread {
  std::uint64_t count = 0;
  double sum = 0, mean = 0, median = 0, p95 = 0, least = 0, most = 0;
};
// Orders the values.
Spread spread_of(Column<double>& values);
// Of whole numbers, each with how often it is there.
Spread spread_of(const std::unordered_map<std::uint64_t, std::uint64_t>& count_of);
// {"count","sum_s","mean_s",...} for the unit "s".
nlohmann::json to_json(const Spread& spread, const std::string& unit);

// Bin 0 holds the value 0; bin k holds 2^(k-1) to 2^k - 1.
class Histogram {
 public:
  struct Bin {
    std::uint64_t count = 0, sum = 0;
  };
  void add(std::uint64_t value);
  const std::map<int, Bin>& bins() const { return bins_; }
  static std::uint64_t first_of(int bin);
  static std::uint64_t last_of(int bin);

 private:
  std::map<int, Bin> bins_;  // those that are not empty
};
// [{"from_bytes","to_bytes","messages","bytes"}], both ends included.
nlohmann::json sizes_json(const Histogram& histogram);

// Time cut into equal bins; each sums what lies in it.
class TimeBins {
 public:
  // No bins for a span without length.
  TimeBins(std::int64_t begin_ns, std::int64_t end_ns, std::size_t bins);
  // Spans outside are cut off.
  void add(std::int64_t from_ns, std::int64_t to_ns, double weight = 1);
  std::size_t size() const { return sums_.size(); }
  double sum_ns(std::size_t bin) const { return sums_[bin]; }  // of weight times nanoseconds
  std::int64_t from_ns(std::size_t bin) const;
  std::int64_t to_ns(std::size_t bin) const { return from_ns(bin + 1); }

 private:
  std::size_t bin_at(std::int64_t ns) const;
  std::int64_t begin_ns_, end_ns_;
  std::vector<double> sums_;
};

inline constexpr std::size_t bins_over_time = 50;

}  // namespace ww

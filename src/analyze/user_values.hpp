// The values and markers that the program gave (whatwire/marker.h, or Score-P's user metrics and parameters).
#pragma once
#include <vector>

#include "analyze/selection.hpp"

namespace ww {

// Of one name on one rank, or on all (then first and last by time). What is no number counts, and is in none
// of these.
struct ValueTotal {
  std::uint64_t count = 0, no_numbers = 0;
  double first = 0, last = 0, least = 0, most = 0, mean = 0;
  std::int64_t first_ns = 0, last_ns = 0;
};

// By index into Trace::user.values, then by rank.
std::vector<std::vector<ValueTotal>> find_values(const Part& part);
ValueTotal joined(const std::vector<ValueTotal>& by_rank);

struct MarkerTotal {
  std::uint64_t count = 0;
  std::int64_t first_ns = 0, last_ns = 0;
  std::int32_t first_rank = -1;
};
// By index into Trace::user.texts.
std::vector<MarkerTotal> find_markers(const Part& part);

}  // namespace ww

// The values and markers that the program gave (whatwire/marker.h, or Score-P's user metrics and parameters).
#pragma once
#include "analyze/question.hpp"

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

}  // namespace ww

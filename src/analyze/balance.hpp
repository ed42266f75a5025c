// How evenly the work is spread. load balance = mean / maximum of the ranks' computation (POP); imbalance =
// maximum / mean - 1; what evenness could save at most = maximum - mean.
#pragma once
#include <vector>

#include "analyze/breakdown.hpp"

namespace ww {

struct Evenness {
  double mean = 0, least = 0, most = 0, deviation = 0;  // deviation: of the population
  std::int32_t least_rank = -1, most_rank = -1;
  double balance = 1;  // mean / most; 1 if there is nothing to spread
};
Evenness evenness_of(const std::vector<double>& by_rank);

struct Balance {
  Evenness compute_s, communication_s, messages_sent, bytes_sent;  // communication: library and blocked
};
Balance find_balance(const Breakdown& breakdown);

}  // namespace ww

// Communication to computation: time in MPI calls (library and blocked) over time outside of them, and what
// was sent for each second computed.
#pragma once
#include <optional>
#include <vector>

#include "analyze/breakdown.hpp"

namespace ww {

struct RankRatio {
  std::int32_t rank = -1;  // -1: all together
  double communication_s = 0, compute_s = 0, service_s = 0;
  std::optional<double> ratio;          // nothing: no computation at all
  std::optional<double> service_ratio;  // blocked for messages on their way, over computation
  std::optional<double> messages_per_compute_s, bytes_per_compute_s;
};
struct Ratio {
  RankRatio all;
  std::vector<RankRatio> ranks;
};
Ratio find_ratio(const Breakdown& breakdown);

}  // namespace ww

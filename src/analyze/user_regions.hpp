// Where the time of the regions went that the program marked (whatwire/marker.h, or Score-P's user regions).
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyze/breakdown.hpp"

namespace ww {

struct RegionTime {
  std::uint64_t visits = 0;
  double time_s = 0, compute_s = 0, library_s = 0;  // time = compute + library + blocked
  double blocked_algorithmic_s = 0, blocked_service_s = 0;
  double own_s = 0;  // of time, outside of the regions within it
  double blocked_s() const { return blocked_algorithmic_s + blocked_service_s; }
};

struct RegionTotal {
  std::string name;
  RegionTime all;                   // sums over ranks and threads
  std::vector<RegionTime> by_rank;  // sums over threads
};

// A region where it stands, by the regions around it: sums over ranks and threads. What recursion puts deeper than
// most_region_depth has no node; the time of the one above includes it, as always.
struct RegionNode {
  std::uint32_t region = 0;      // index of regions
  std::size_t within = no_node;  // index of tree, of the one around it
  std::size_t depth = 0;         // so many are around it
  RegionTime all;
  static constexpr std::size_t no_node = static_cast<std::size_t>(-1);
};
inline constexpr std::size_t most_region_depth = 64;

struct RegionTotals {
  std::vector<RegionTotal> regions;  // as Trace::user.regions
  std::vector<RegionNode> tree;      // each after the one around it
  RegionTotal outside;               // of the first thread of each rank: in no region
};

// Of a part: what of them lies in it, with the calls that are selected; what other calls took is in none of
// compute, library and blocked. A visit counts where it begins.
// Times are those between MPI_Init and MPI_Finalize. A region's time includes the regions within it; one
// within another of the same name counts with the outer one only (but is a visit). A call belongs to the
// regions of the thread that made it; what of it was blocked is the breakdown's.
RegionTotals find_regions(const Part& part, const Breakdown& breakdown);
// An array of the regions, each with its "ranks" and with its "paths": the same by the names "within" which it stands.
nlohmann::json to_json(const RegionTotals& totals);

}  // namespace ww

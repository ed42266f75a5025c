// Two runs beside each other, call by call: how much later or earlier the second one is.
#pragma once
#include <optional>
#include <vector>

#include "view/index.hpp"

namespace ww::view {

// Calls of a rank are aligned in their order by their names; where the names differ, both go on at the nearest place
// from which on they are alike again. Calls that only ask (MPI_Test) are left out: how often a program asks is chance.
struct AlignedRank {
  std::uint32_t rank = 0;
  std::uint64_t aligned = 0, only_a = 0, only_b = 0;  // calls
  // By bin of A's time: the mean of entry in B less entry in A, of the aligned calls that A enters in the bin.
  std::vector<std::optional<double>> lag_ns;
  std::optional<std::int64_t> last_lag_ns;  // of the last aligned call
};

struct Alignment {
  std::uint32_t bins = 0;
  double bin_ns = 0;               // from the begin of the program on
  std::vector<AlignedRank> ranks;  // that both have
  std::size_t ranks_only_a = 0, ranks_only_b = 0;
};

// At most so many lags are given: with many ranks there are fewer bins.
inline constexpr std::size_t most_lags = std::size_t{1} << 18;
// Error: an index is damaged.
Result<Alignment> align(const Index& a, const Index& b, std::uint32_t bins);

}  // namespace ww::view

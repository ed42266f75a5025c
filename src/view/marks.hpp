// What the program itself said (include/whatwire/marker.h) in a window of time: its markers and regions.
#pragma once
#include <vector>

#include "analyze/selection.hpp"

namespace ww::view {

// Times in ns since the begin of the program.
struct MarkerInTime {
  std::size_t rank = 0;
  std::int64_t at_ns = 0;
  std::uint32_t text = 0;  // index into UserNames::texts
};
struct RegionInTime {
  std::size_t rank = 0;
  std::int64_t from_ns = 0, to_ns = 0;
  std::uint32_t region = 0;  // index into UserNames::regions
  std::uint32_t depth = 0;   // 0: outermost of its thread
};
struct MarksWindow {
  std::vector<MarkerInTime> markers;  // of more than the limit every n-th
  std::vector<RegionInTime> regions;  // of more than the limit the longest
  std::size_t left_out = 0;
};

// Markers in [from_ns, to_ns) and regions that reach into it or are entered in it, by rank and time. No ranges: all ranks.
MarksWindow marks_in_window(const Trace& trace, const std::vector<NumberRange>& ranks, std::int64_t from_ns,
                            std::int64_t to_ns, std::size_t limit);

}  // namespace ww::view

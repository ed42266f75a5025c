// By which D a run was dilated, and when: the run's own, or what the program set (ww_dilate in whatwire/marker.h).
#pragma once
#include <vector>

#include "trace/trace.hpp"

namespace ww {

struct DilatedSpan {
  std::int64_t from_ns = 0, to_ns = 0;
  double factor = 1;  // D
  bool operator==(const DilatedSpan&) const = default;
};

// Of one rank, by time, without gaps, from its begin to its end; neighbours differ in D. One span where the program set
// none, and in a trace that was not dilated.
std::vector<DilatedSpan> dilated_spans(const Trace& trace, const RankTrace& rank);
std::vector<std::vector<DilatedSpan>> dilated_spans(const Trace& trace);  // by rank

// The program set D while it ran.
bool sets_dilation(const Trace& trace);

}  // namespace ww

// The chain of ranks and calls that the length of the run comes from. The rule: begin at the end of the rank
// that ends last and go back in time. Computation, and calls that waited for nobody, are passed on the same
// rank. In a call that had to wait for another rank to begin (its send, its receive, its part of a
// collective), the part after that belongs to the call, as communication; the path then goes on at that
// instant on the rank that was waited for. So the path has no waiting for others to begin, and its length is
// the time from the begin of the rank where it ends to the end of the run. Of a part of the run: what of that
// path, the whole run's, lies in the span, on its ranks and in its calls; a path of its own a span has not.
#pragma once
#include <map>
#include <string>

#include "analyze/selection.hpp"
#include "analyze/waits.hpp"

namespace ww {

struct PathPart {
  std::int32_t rank = 0;
  std::uint32_t call = none;  // none: computation
  std::int64_t from_ns = 0, to_ns = 0;
};

struct RankOnPath {
  double compute_s = 0, calls_s = 0;
  std::uint64_t visits = 0;  // how often the path came to the rank
};

struct CriticalPath {
  Column<PathPart> parts;  // in time, without gaps but for what is not selected
  double length_s = 0, compute_s = 0;
  std::map<std::string, double> calls_s;     // by call
  std::map<std::int32_t, RankOnPath> ranks;  // those on the path
};

// Its call; computation has none.
const std::string& call_name(const Trace& trace, const PathPart& part);

// `waits`: of the whole trace. Costs a walk from the end of the run back to the begin of the span.
CriticalPath find_critical_path(const Part& part, const Waits& waits);

}  // namespace ww

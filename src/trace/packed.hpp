// A trace as one string of bytes, for pages that hold it: whatever analyses and replays ask of it, without libotf2 and files. Compact: a
// call takes six to ten bytes before compression.
#pragma once
#include <span>
#include <string>

#include "base/result.hpp"
#include "trace/trace.hpp"

namespace ww {

// Numbers are base-128 (least significant first), signed ones in zigzag, times the difference to those before them. Of each rank: gaps
// between calls, durations, the *kinds* of its calls (region, thread and actions; each is written when it first comes, later named by
// its number), and the serials of non-blocking operations. Messages and collectives are not in it where match() finds them again. Of Trace::source the
// names of the file and of its directory alone are.
std::string pack(const Trace& trace);

// The same trace but for where it lay, in memory. Errors: not packed, of another version, damaged; then nothing in it points anywhere it may not.
Result<Trace> unpack(std::span<const char> packed);

}  // namespace ww

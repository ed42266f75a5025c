// Are the recorded times those of the program, or of a machine that was busy with something else?
#pragma once
#include "base/diagnostic.hpp"
#include "trace/trace.hpp"

namespace ww {

// Signs, each named in the diagnostic "times-disturbed": more ranks on a host than it has cores for them;
// ranks that got less CPU time than time passed although they poll; involuntary switches away from a rank.
Diagnostics find_disturbance(const Trace& trace);

}  // namespace ww

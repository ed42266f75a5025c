// Did the hosts' TCP stand still while a program ran? From what its ranks say of their hosts (run.json: "tcp"):
//   tcp-timeouts        a segment was waited for until its time was over: 0.2 s or more each, on Linux
//   tcp-retransmitted   segments were sent again sooner than that, ten or more, and one in a thousand
// Neither is the wire's time or the program's, nor would it be the same on another network.
#pragma once
#include "base/diagnostic.hpp"
#include "base/run_record.hpp"

namespace ww {

// Of a run in virtual time, and of one host, none.
Diagnostics tcp_stalls_in(const RunRecord& run);

}  // namespace ww

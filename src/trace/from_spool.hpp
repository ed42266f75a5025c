// Spools to columns: one clock, one numbering of communicators and operations.
#pragma once
#include "trace/spool.hpp"

namespace ww::spool {

// A thread beside the one that carries the rank's messages in Trace (MPI_THREAD_MULTIPLE).
struct OtherThread {
  std::int32_t rank = 0, thread = 0;
  RankTrace columns;
};

struct Recording {
  Trace trace;  // matched; sizes of receives that the recorder left to us are filled in from their sends
  std::vector<OtherThread> threads;
  std::int64_t realtime_begin_ns = 0;  // wall clock at time 0 of the trace
  nlohmann::json facts;                // for run.json: program, MPI, ranks, clock quality, dilation
};

// Error: no rank names its calls, so that records mean nothing.
Result<Recording> assemble(const std::vector<RankSpool>& spools, Diagnostics& diagnostics);

}  // namespace ww::spool

// Columns to an OTF2 archive.
#pragma once
#include "trace/from_spool.hpp"

namespace ww::otf2 {

struct WriteOptions {
  const std::vector<spool::OtherThread>* threads = nullptr;  // further locations
  std::int64_t realtime_begin_ns = 0;                        // wall clock at time 0
};

// DIR/traces.otf2, DIR/traces.def, DIR/traces/. DIR exists and holds no archive. Times are written in
// nanoseconds, clocks already corrected; the ClockOffset records are therefore 0 and carry the uncertainty as
// their deviation. Order within a call: all that begins, at its entry; then all that completes, at its
// return.
Result<void> write_archive(const Trace& trace, const std::filesystem::path& dir, const WriteOptions& options);

}  // namespace ww::otf2

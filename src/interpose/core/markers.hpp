// What the program says of itself through whatwire/marker.h: records of regions, values and markers in the
// spool of the calling thread. The functions themselves are reached through ww_marker_table and ww_dilation_table
// (interpose/marker/table.h).
#pragma once
#include "interpose/core/thread.hpp"

namespace ww::interpose {

// The calling thread, with a place to record; nullptr: there is none, or it is inside of a call (counted).
Thread* thread_outside_calls();

// MPI_Init has returned at this time and been recorded: regions that the thread had opened before begin then.
void begin_early_regions(Thread& thread, uint64_t at);

}  // namespace ww::interpose

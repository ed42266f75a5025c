// What the program says of itself through whatwire/marker.h: records of regions, values and markers in the
// spool of the calling thread. The functions themselves are reached through ww_marker_table and ww_dilation_table
// (interpose/marker/table.h).
#pragma once
#include "interpose/core/thread.hpp"

namespace ww::interpose {

// The calling thread, with a place to record; nullptr: there is none, or it is inside of a call, which is counted where it is `told`.
Thread* thread_outside_calls(bool told = true);

// MPI_Init has returned at this time and been recorded: regions that the thread had opened before begin then.
void begin_early_regions(Thread& thread, uint64_t at);

// A region of this name (name_number) of a thread that is in no call begins or ends: now, or at a time that is not before its latest record.
void put_region(Thread& thread, spool::Kind kind, uint32_t name);
void put_integer(Thread& thread, uint32_t name, int64_t value);
void put_region_at(Thread& thread, spool::Kind kind, uint32_t name, uint64_t at);

}  // namespace ww::interpose

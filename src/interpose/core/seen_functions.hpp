// Functions of programs that were compiled with -finstrument-functions or -fpatchable-function-entry (patched_functions.hpp), as regions:
// which are wanted is decided when the program runs.
// Each is counted with its times, wanted as a region or only for the count. One that is called more often than its regions are worth has
// only some of its calls recorded.
#pragma once
#include <stdint.h>

#include "interpose/core/thread.hpp"

namespace ww::interpose {

// The recording begins: functions that the thread is in begin with it.
void begin_functions(Thread& thread, uint64_t at);
// Before its end: those that the calling thread is in end, and what was counted is written.
void end_functions();

}  // namespace ww::interpose

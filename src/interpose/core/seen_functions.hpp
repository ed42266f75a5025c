// Functions of programs that were compiled with -finstrument-functions or -fpatchable-function-entry (patched_functions.hpp), as regions:
// which are wanted is decided when the program runs.
// Each is counted with its times, wanted as a region or only for the count. One that is called more often than its regions are worth has
// only some of its calls recorded.
#pragma once
#include <stdint.h>

#include "interpose/core/thread.hpp"

namespace ww::interpose {

// Functions that tell their own names (told_functions.cpp), by numbers; from the first on all are listened to, whatever is asked for.
inline constexpr uint32_t not_wanted = 0xffffffff;
// Of a name (name_number) that is told for the first time. Without a list of what is wanted all are.
uint32_t function_named(uint32_t name);
void enter_function(uint32_t function);
void leave_function(uint32_t function);

// The recording begins: functions that the thread is in begin with it.
void begin_functions(Thread& thread, uint64_t at);
// Before its end: those that the calling thread is in end, and what was counted is written.
void end_functions();

}  // namespace ww::interpose

// A thread of ours in other people's programs.
#pragma once
#include <pthread.h>

namespace ww::interpose {

// With all signals blocked, since those of the process are the program's, and a small stack. `name`: at most 15 letters.
bool start_own_thread(void* (*body)(void*), pthread_t& thread, const char* name);

}  // namespace ww::interpose

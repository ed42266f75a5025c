// What the loader has been told to load first, us among it.
#pragma once

namespace ww::interpose {

// Takes the words that name this file out of LD_PRELOAD, for what this process starts.
void leave_preload(const char* own_file);

}  // namespace ww::interpose

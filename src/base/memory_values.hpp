// What the values are called that the recorder makes of a process's memory over time (`whatwire record --memory`). Pulls in nothing.
#pragma once

namespace ww::memory_values {

inline constexpr const char *own = "memory: private", *shared = "memory: shared", *unit = "bytes";

}  // namespace ww::memory_values

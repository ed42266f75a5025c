// MPI's handles as numbers to look up by: addresses of structures in Open MPI, integers in MPICH. 0 is a
// valid handle of neither.
#pragma once
#include <stdint.h>

namespace ww::interpose {

inline uint64_t key_of(const void* handle) {
  return reinterpret_cast<uintptr_t>(handle);
}
inline uint64_t key_of(int handle) {
  return static_cast<uint32_t>(handle);
}

}  // namespace ww::interpose

// What the number of a task says.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// The part that is its host's (Geist and others, PVM: A Users' Guide, 7.1).
inline uint32_t host_part(int tid) {
  return static_cast<uint32_t>(tid) & 0x3ffc0000;
}

// Not of a task: the first two of its bits say what a number is of.
inline bool is_daemon(int tid) {
  return (static_cast<uint32_t>(tid) & 0xc0000000) == 0x80000000 ||
         (static_cast<uint32_t>(tid) & 0x3ffff) == 0;
}

}  // namespace ww::interpose

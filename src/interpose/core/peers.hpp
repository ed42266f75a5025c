// Numbers for the addresses of peers, where processes have no ranks: records have 32 bits for a peer.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// The index that stands for the task of that address in the records of this process ("peer" in
// spool_format.hpp), its definition written before it is given out. Asked for again it locks nothing and makes
// no system call. -1 (and counted): there are more than 65536.
int32_t peer_index(uint64_t address);

}  // namespace ww::interpose

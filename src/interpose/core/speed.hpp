// How fast this processor is just now.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// What a fixed chain of arithmetic takes, in real nanoseconds: the shortest of several times, 0.4 ms in all,
// so that an interruption does not count. It grows as the processor's clock slows down; memory has no part in
// it.
uint64_t arithmetic_ns();

}  // namespace ww::interpose

// The two ends of a patched function (patched_functions.hpp), in the machine's own language: every register of the program stays as it was,
// since a compiler that sees both functions relies on more of them than the rules for calls say.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// Where functions led back before: found by the place on the stack that they return from. At a fixed address, and with a fixed way of looking,
// as the rules for unwinding in way_back.cpp do it too.
struct WayBack {
  uintptr_t place;        // 0: nobody has it. Once taken it stays: stacks use the same places again and again
  uintptr_t just_before;  // the address, less 1
};
inline constexpr uintptr_t ways_back_at = 0x200000000000;
inline constexpr int ways_back_bits = 16;
inline constexpr uint64_t ways_back_multiplier = 0x9e3779b97f4a7c15;

}  // namespace ww::interpose

extern "C" {
// What patched functions call, and where they return to.
__attribute__((visibility("hidden"))) void whatwire_function_begins();
__attribute__((visibility("hidden"))) void whatwire_function_ends();
// How vector registers are kept: 0: there are xmm0-15 alone; 1: with AVX; 2: with AVX-512, both by what is in use; 3: all by XSAVE.
__attribute__((visibility("hidden"))) extern int whatwire_vectors_kept;
}

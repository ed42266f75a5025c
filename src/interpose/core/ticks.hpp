// The recorder's clock: the invariant time-stamp counter where the kernel itself trusts it, else
// CLOCK_MONOTONIC.
#pragma once
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace ww::interpose {

// The C library's clock_gettime, past the one that the program sees (program_clock.cpp).
int real_clock_gettime(clockid_t id, timespec* value);

inline uint64_t nanoseconds(const timespec& t) {
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

inline uint64_t real_ns(clockid_t id) {
  timespec t{};
  real_clock_gettime(id, &t);
  return nanoseconds(t);
}

extern bool counter_is_clock;  // set once by choose_clock, before the first tick is taken

inline uint64_t ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(counter_is_clock, 1)) return __rdtsc();
#endif
  return real_ns(CLOCK_MONOTONIC);
}

// Decides between the counter and CLOCK_MONOTONIC. Idempotent.
void choose_clock();

// The two clocks read at the same moment: the ticks are the middle of the tightest of several brackets.
struct ClockPair {
  uint64_t ticks = 0;
  uint64_t monotonic_ns = 0;
};
ClockPair clock_pair();

// Ticks per second between two pairs; the further apart they are, the more exact: 50 ns of bracket over the
// distance.
double rate(const ClockPair& first, const ClockPair& second);

}  // namespace ww::interpose

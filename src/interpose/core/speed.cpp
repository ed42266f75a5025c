#include "interpose/core/speed.hpp"

#include "interpose/core/ticks.hpp"

namespace ww::interpose {

uint64_t arithmetic_ns() {
  constexpr int times = 12,
                steps = 8000;  // of 4 to 5 cycles: a multiplication and an addition that wait for each other
  uint64_t shortest = ~0ull, value = 1;
  for (int time = 0; time < times; ++time) {
    const uint64_t begin = real_ns(CLOCK_MONOTONIC_RAW);
    for (int step = 0; step < steps; ++step) {
      value = value * 6364136223846793005u + 1442695040888963407u;
      __asm__ volatile("" : "+r"(value));  // or the compiler would work several steps out at once
    }
    const uint64_t took = real_ns(CLOCK_MONOTONIC_RAW) - begin;
    if (took < shortest) shortest = took;
  }
  return shortest;
}

}  // namespace ww::interpose

#include "interpose/core/ticks.hpp"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ww::interpose {

bool counter_is_clock = false;

namespace {

#if defined(__x86_64__)
// The counter runs at one rate in all power states (CPUID 8000_0007h, EDX bit 8), and the kernel, which also
// watches it for steps between sockets, uses it for its own clock. Where /sys is not mounted the first must
// do.
bool counter_is_invariant() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007u, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;
  const int fd =
      open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char name[16] = {};
  const ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  return n <= 0 || strncmp(name, "tsc", 3) == 0;
}
#endif

}  // namespace

void choose_clock() {
#if defined(__x86_64__)
  counter_is_clock = counter_is_invariant();
#endif
}

ClockPair clock_pair() {
  ClockPair best;
  uint64_t tightest = ~0ull;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const uint64_t before = ticks();
    const uint64_t ns = real_ns(CLOCK_MONOTONIC);
    const uint64_t after = ticks();
    if (after - before < tightest) {
      tightest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  if (!counter_is_clock) best.ticks = best.monotonic_ns;
  return best;
}

double rate(const ClockPair& first, const ClockPair& second) {
  if (!counter_is_clock) return 1e9;
  if (second.monotonic_ns <= first.monotonic_ns) return 0;
  return static_cast<double>(second.ticks - first.ticks) * 1e9 /
         static_cast<double>(second.monotonic_ns - first.monotonic_ns);
}

}  // namespace ww::interpose

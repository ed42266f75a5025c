#include "interpose/core/program_clock.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "interpose/core/thread.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

namespace {

using ClockGettime = int(clockid_t, timespec*);
ClockGettime* next_clock_gettime = nullptr;

__attribute__((constructor)) void find_real_clock() {
  next_clock_gettime = reinterpret_cast<ClockGettime*>(dlsym(RTLD_NEXT, "clock_gettime"));
}

// The clocks that tell the time of day or of the machine; those of the processor time of a process are left
// alone.
constexpr int clocks = 8;
constexpr bool dilated_clock(clockid_t id) {
  return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
         id == CLOCK_REALTIME_COARSE || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME;
}

// seen = base + (real - origin) / rate
struct View {
  int64_t origin_ns[clocks];
  int64_t base_ns[clocks];
  double wtime_origin, wtime_base;
  double rate;
};
View view;
bool changed = false;

int64_t seen_ns(clockid_t id, int64_t real) {
  return view.base_ns[id] + static_cast<int64_t>(static_cast<double>(real - view.origin_ns[id]) / view.rate);
}

// The time as the calling program is to see it, in nanoseconds; computation so far is stretched first, so
// that a program that times itself sees D * c / D = c.
int64_t now_for_program(clockid_t id) {
  Thread* thread = this_thread;
  if (thread != nullptr && dilating) {
    thread->last_leave = stretch(*thread, ticks());
  }
  return seen_ns(id, static_cast<int64_t>(real_ns(id)));
}

bool program_asks() {
  return changed && (this_thread == nullptr || this_thread->inside == nullptr);
}

}  // namespace

int real_clock_gettime(clockid_t id, timespec* value) {
  if (__builtin_expect(next_clock_gettime != nullptr, 1)) return next_clock_gettime(id, value);
  return static_cast<int>(syscall(SYS_clock_gettime, id, value));
}

void start_program_clock(double dilation) {
  for (clockid_t id = 0; id < clocks; ++id)
    if (dilated_clock(id)) view.base_ns[id] = view.origin_ns[id] = static_cast<int64_t>(real_ns(id));
  view.rate = dilation;
  changed = true;
}

void stop_program_clock() {
  if (!changed) return;
  for (clockid_t id = 0; id < clocks; ++id) {
    if (!dilated_clock(id)) continue;
    const auto real = static_cast<int64_t>(real_ns(id));
    view.base_ns[id] = seen_ns(id, real);
    view.origin_ns[id] = real;
  }
  view.rate = 1;
}

void start_program_wtime(double wtime) {
  view.wtime_base = view.wtime_origin = wtime;
}
void stop_program_wtime(double wtime) {
  if (!changed) return;
  view.wtime_base = program_wtime(wtime);
  view.wtime_origin = wtime;
}
double program_wtime(double wtime) {
  if (!changed) return wtime;
  return view.wtime_base + (wtime - view.wtime_origin) / view.rate;
}

}  // namespace ww::interpose

using ww::interpose::now_for_program;
using ww::interpose::program_asks;
using ww::interpose::real_clock_gettime;

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, timespec* value) noexcept {
  if (__builtin_expect(!program_asks() || !ww::interpose::dilated_clock(id), 1))
    return real_clock_gettime(id, value);
  const int64_t ns = now_for_program(id);
  value->tv_sec = ns / 1000000000;
  value->tv_nsec = ns % 1000000000;
  return 0;
}

__attribute__((visibility("default"))) int gettimeofday(timeval* value, void* zone) noexcept {
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  timespec now{};
  const int rc = clock_gettime(CLOCK_REALTIME, &now);
  value->tv_sec = now.tv_sec;
  value->tv_usec = now.tv_nsec / 1000;
  return rc;
}

__attribute__((visibility("default"))) time_t time(time_t* value) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (value != nullptr) *value = now.tv_sec;
  return now.tv_sec;
}
}

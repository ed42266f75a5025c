#include "interpose/core/program_clock.hpp"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "interpose/core/own_computation.hpp"
#include "interpose/core/program_threads.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/virtual_clock.hpp"

namespace ww::interpose {

namespace {

using ClockGettime = int(clockid_t, timespec*);
using Getrusage = int(int, rusage*);
ClockGettime* next_clock_gettime = nullptr;
Getrusage* next_getrusage = nullptr;

__attribute__((constructor)) void find_real_clock() {
  next_clock_gettime = reinterpret_cast<ClockGettime*>(dlsym(RTLD_NEXT, "clock_gettime"));
  next_getrusage = reinterpret_cast<Getrusage*>(dlsym(RTLD_NEXT, "getrusage"));
}

constexpr int clocks = 8;
constexpr bool is_dilated(clockid_t id) {
  return id == CLOCK_REALTIME || id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
         id == CLOCK_REALTIME_COARSE || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME ||
         id == CLOCK_PROCESS_CPUTIME_ID;
}

double clock_rate = 1;
bool changed = false;

// seen = base + (real - origin) / rate
struct View {
  int64_t origin_ns = 0, base_ns = 0;

  int64_t seen(int64_t real) const {
    return base_ns + static_cast<int64_t>(static_cast<double>(real - origin_ns) / clock_rate);
  }
  int64_t real(int64_t seen) const {
    return origin_ns + static_cast<int64_t>(static_cast<double>(seen - base_ns) * clock_rate);
  }
  void start(int64_t real) { base_ns = origin_ns = real; }
  void stop(int64_t real) {
    base_ns = seen(real);
    origin_ns = real;
  }
};
View views[clocks], user_time, system_time;
// Of the thread that called MPI_Init; those that began later began with 0.
thread_local View thread_time __attribute__((tls_model("initial-exec")));
double wtime_origin = 0, wtime_base = 0;

int64_t of(const timeval& time) {
  return static_cast<int64_t>(time.tv_sec) * 1000000000 + static_cast<int64_t>(time.tv_usec) * 1000;
}
timeval to_timeval(int64_t ns) {
  return {static_cast<time_t>(ns / 1000000000), static_cast<suseconds_t>(ns % 1000000000 / 1000)};
}

int real_getrusage(int who, rusage* usage) {
  if (next_getrusage != nullptr) return next_getrusage(who, usage);
  return static_cast<int>(syscall(SYS_getrusage, who, usage));
}

}  // namespace

bool program_asks() {
  return changed && !thread_of_library() && (this_thread == nullptr || this_thread->inside == nullptr);
}

double program_rate() {
  return clock_rate;
}

bool is_dilated_clock(clockid_t id) {
  return is_dilated(id);
}

// A program that times itself sees D * c / D = c.
int64_t program_now_ns(clockid_t id) {
  if (virtual_time && id != CLOCK_PROCESS_CPUTIME_ID)
    return views[id].base_ns +
           static_cast<int64_t>(
               1e9 * (this_thread != nullptr ? virtual_now_at_question(*this_thread) : virtual_now_s()));
  settle_now();
  return views[id].seen(static_cast<int64_t>(real_ns(id)));
}

int64_t real_deadline_ns(clockid_t id, int64_t seen_ns) {
  if (virtual_time) return static_cast<int64_t>(real_ns(id)) + seen_ns - program_now_ns(id);
  return views[id].real(seen_ns);
}

int real_clock_gettime(clockid_t id, timespec* value) {
  if (__builtin_expect(next_clock_gettime != nullptr, 1)) return next_clock_gettime(id, value);
  return static_cast<int>(syscall(SYS_clock_gettime, id, value));
}

void start_program_clock(double dilation) {
  rusage usage{};
  real_getrusage(RUSAGE_SELF, &usage);
  for (clockid_t id = 0; id < clocks; ++id)
    if (is_dilated(id)) views[id].start(static_cast<int64_t>(real_ns(id)));
  user_time.start(of(usage.ru_utime));
  system_time.start(of(usage.ru_stime));
  thread_time.start(static_cast<int64_t>(real_ns(CLOCK_THREAD_CPUTIME_ID)));
  clock_rate = dilation;
  changed = true;
}

void stop_program_clock() {
  if (!changed) return;
  rusage usage{};
  real_getrusage(RUSAGE_SELF, &usage);
  for (clockid_t id = 0; id < clocks; ++id) {
    const auto real = static_cast<int64_t>(real_ns(id));
    if (is_dilated(id) && virtual_time)
      views[id] = {real, program_now_ns(id)};
    else if (is_dilated(id))
      views[id].stop(real);
  }
  user_time.stop(of(usage.ru_utime));
  system_time.stop(of(usage.ru_stime));
  thread_time.stop(static_cast<int64_t>(real_ns(CLOCK_THREAD_CPUTIME_ID)));
  clock_rate = 1;
}

void start_program_wtime(double wtime) {
  wtime_base = wtime_origin = wtime;
}
void stop_program_wtime(double wtime) {
  if (!changed) return;
  wtime_base = program_wtime(wtime);
  wtime_origin = wtime;
}
double program_wtime(double wtime) {
  if (!changed) return wtime;
  if (virtual_time) return wtime_base + virtual_now_s();
  return wtime_base + (wtime - wtime_origin) / clock_rate;
}

}  // namespace ww::interpose

using namespace ww::interpose;

#define WW_SEEN extern "C" __attribute__((visibility("default")))

WW_SEEN int clock_gettime(clockid_t id, timespec* value) noexcept {
  if (__builtin_expect(!program_asks(), 1)) return real_clock_gettime(id, value);
  int64_t ns = 0;
  if (is_dilated(id)) {
    ns = program_now_ns(id);
  } else if (id == CLOCK_THREAD_CPUTIME_ID) {
    settle_now();
    ns = thread_time.seen(static_cast<int64_t>(real_ns(id)));
  } else {
    return real_clock_gettime(id, value);
  }
  value->tv_sec = ns / 1000000000;
  value->tv_nsec = ns % 1000000000;
  return 0;
}

WW_SEEN int gettimeofday(timeval* value, void* zone) noexcept {
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  timespec now{};
  const int rc = clock_gettime(CLOCK_REALTIME, &now);
  value->tv_sec = now.tv_sec;
  value->tv_usec = now.tv_nsec / 1000;
  return rc;
}

WW_SEEN time_t time(time_t* value) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (value != nullptr) *value = now.tv_sec;
  return now.tv_sec;
}

WW_SEEN int timespec_get(timespec* value, int base) noexcept {
  if (base != TIME_UTC || clock_gettime(CLOCK_REALTIME, value) != 0) return 0;
  return base;
}

WW_SEEN clock_t clock() noexcept {
  timespec now{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return -1;
  return static_cast<clock_t>(nanoseconds(now) / (1000000000 / CLOCKS_PER_SEC));
}

WW_SEEN int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  const bool asks = program_asks() && (who == RUSAGE_SELF || who == RUSAGE_THREAD);
  if (asks) settle_now();
  const int rc = real_getrusage(who, usage);
  if (!asks || rc != 0) return rc;
  if (who == RUSAGE_SELF) {
    usage->ru_utime = to_timeval(user_time.seen(of(usage->ru_utime)));
    usage->ru_stime = to_timeval(system_time.seen(of(usage->ru_stime)));
    return rc;
  }
  // The kernel tells the parts of a thread's time less exactly than their sum.
  const double part = static_cast<double>(thread_time.seen(of(usage->ru_utime) + of(usage->ru_stime))) /
                      static_cast<double>(of(usage->ru_utime) + of(usage->ru_stime) + 1);
  usage->ru_utime = to_timeval(static_cast<int64_t>(static_cast<double>(of(usage->ru_utime)) * part));
  usage->ru_stime = to_timeval(static_cast<int64_t>(static_cast<double>(of(usage->ru_stime)) * part));
  return rc;
}

WW_SEEN clock_t times(tms* value) noexcept {
  if (!program_asks()) return syscall(SYS_times, value);
  static const int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
  rusage self{}, children{};
  if (getrusage(RUSAGE_SELF, &self) != 0 || real_getrusage(RUSAGE_CHILDREN, &children) != 0) return -1;
  if (value != nullptr)
    *value = {of(self.ru_utime) / tick_ns, of(self.ru_stime) / tick_ns, of(children.ru_utime) / tick_ns,
              of(children.ru_stime) / tick_ns};
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<clock_t>(nanoseconds(now)) / tick_ns;
}

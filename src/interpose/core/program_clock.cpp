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

bool changed = false;

// seen = base + (real - origin) / rate
struct View {
  int64_t origin_ns = 0, base_ns = 0;

  int64_t seen(int64_t real, double rate) const {
    return base_ns + static_cast<int64_t>(static_cast<double>(real - origin_ns) / rate);
  }
  int64_t real(int64_t seen, double rate) const {
    return origin_ns + static_cast<int64_t>(static_cast<double>(seen - base_ns) * rate);
  }
  void start(int64_t real, int64_t since_ns = 0) {
    origin_ns = real;
    base_ns = real - since_ns;
  }
  void turn(int64_t real, double rate) {  // here another rate begins, and that one ends
    base_ns = seen(real, rate);
    origin_ns = real;
  }
};

struct Views {
  double rate = 1;
  View clock[clocks], user_time, system_time;
  double wtime_origin = 0, wtime_base = 0;
};

// Any thread, and any signal handler, may read the clocks while one sets another rate, and must not wait for it: it
// prepares the next of these and then points to it. Who reads meanwhile has the one before, which stays for a while.
constexpr unsigned kept = 16;
Views each[kept];
unsigned current = 0;
const Views& views() {
  return each[__atomic_load_n(&current, __ATOMIC_ACQUIRE) % kept];
}
void take(const Views& next) {
  const unsigned number = __atomic_load_n(&current, __ATOMIC_RELAXED) + 1;
  each[number % kept] = next;
  __atomic_store_n(&current, number, __ATOMIC_RELEASE);
}

// Of the thread that called MPI_Init; those that began later began with 0. A thread that has not set the rate itself
// learns of another one when it asks next.
thread_local View thread_time __attribute__((tls_model("initial-exec")));
thread_local double thread_rate __attribute__((tls_model("initial-exec"))) = 0;  // 0: it has not asked
double (*library_wtime)() = nullptr;

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

int64_t thread_seen_ns(int64_t real) {
  const double rate = views().rate;
  if (thread_rate == 0) thread_rate = rate;
  if (thread_rate != rate) thread_time.turn(real, thread_rate);
  thread_rate = rate;
  return thread_time.seen(real, rate);
}

// All clocks as they are now, from where on another rate may hold.
Views turned_now() {
  Views next = views();
  rusage usage{};
  real_getrusage(RUSAGE_SELF, &usage);
  for (clockid_t id = 0; id < clocks; ++id) {
    const auto real = static_cast<int64_t>(real_ns(id));
    if (is_dilated(id) && virtual_time)
      next.clock[id] = {real, program_now_ns(id)};
    else if (is_dilated(id))
      next.clock[id].turn(real, next.rate);
  }
  next.user_time.turn(of(usage.ru_utime), next.rate);
  next.system_time.turn(of(usage.ru_stime), next.rate);
  thread_seen_ns(static_cast<int64_t>(real_ns(CLOCK_THREAD_CPUTIME_ID)));
  thread_time.turn(static_cast<int64_t>(real_ns(CLOCK_THREAD_CPUTIME_ID)), next.rate);
  return next;
}

}  // namespace

bool program_asks() {
  return changed && !thread_of_library() && (this_thread == nullptr || this_thread->inside == nullptr);
}

double program_rate() {
  return views().rate;
}

bool is_dilated_clock(clockid_t id) {
  return is_dilated(id);
}

// A program that times itself sees D * c / D = c.
int64_t program_now_ns(clockid_t id) {
  if (virtual_time && id != CLOCK_PROCESS_CPUTIME_ID)
    return views().clock[id].base_ns +
           static_cast<int64_t>(
               1e9 * (this_thread != nullptr ? virtual_now_at_question(*this_thread) : virtual_now_s()));
  settle_now();
  const auto real = static_cast<int64_t>(real_ns(id));
  const Views& now = views();
  return now.clock[id].seen(real, now.rate);
}

int64_t real_deadline_ns(clockid_t id, int64_t seen_ns) {
  if (virtual_time) return static_cast<int64_t>(real_ns(id)) + seen_ns - program_now_ns(id);
  const Views& now = views();
  return now.clock[id].real(seen_ns, now.rate);
}

int real_clock_gettime(clockid_t id, timespec* value) {
  if (__builtin_expect(next_clock_gettime != nullptr, 1)) return next_clock_gettime(id, value);
  return static_cast<int>(syscall(SYS_clock_gettime, id, value));
}

void start_program_clock(double dilation, uint64_t since_ns) {
  rusage usage{};
  real_getrusage(RUSAGE_SELF, &usage);
  Views next;
  for (clockid_t id = 0; id < clocks; ++id)
    if (is_dilated(id))
      next.clock[id].start(static_cast<int64_t>(real_ns(id)),
                           id == CLOCK_PROCESS_CPUTIME_ID ? 0 : static_cast<int64_t>(since_ns));
  next.user_time.start(of(usage.ru_utime));
  next.system_time.start(of(usage.ru_stime));
  thread_time.start(static_cast<int64_t>(real_ns(CLOCK_THREAD_CPUTIME_ID)));
  thread_rate = next.rate = dilation;
  take(next);
  changed = true;
}

void change_program_rate(double dilation) {
  if (!changed) return;
  Views next = turned_now();
  if (library_wtime != nullptr) {
    const double wtime = library_wtime();
    next.wtime_base = program_wtime(wtime);
    next.wtime_origin = wtime;
  }
  thread_rate = next.rate = dilation;
  take(next);
}

void stop_program_clock() {
  if (!changed) return;
  library_wtime = nullptr;
  Views next = turned_now();
  thread_rate = next.rate = 1;
  take(next);
}

void start_program_wtime(double (*wtime)()) {
  library_wtime = wtime;
  Views next = views();
  next.wtime_base = next.wtime_origin = wtime();
  take(next);
}
void stop_program_wtime(double wtime) {
  if (!changed) return;
  Views next = views();
  next.wtime_base = program_wtime(wtime);
  next.wtime_origin = wtime;
  take(next);
}
double program_wtime(double wtime) {
  if (!changed) return wtime;
  const Views& now = views();
  if (virtual_time) return now.wtime_base + virtual_now_s();
  return now.wtime_base + (wtime - now.wtime_origin) / now.rate;
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
    ns = thread_seen_ns(static_cast<int64_t>(real_ns(id)));
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
    const Views& now = views();
    usage->ru_utime = to_timeval(now.user_time.seen(of(usage->ru_utime), now.rate));
    usage->ru_stime = to_timeval(now.system_time.seen(of(usage->ru_stime), now.rate));
    return rc;
  }
  // The kernel tells the parts of a thread's time less exactly than their sum.
  const double part = static_cast<double>(thread_seen_ns(of(usage->ru_utime) + of(usage->ru_stime))) /
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

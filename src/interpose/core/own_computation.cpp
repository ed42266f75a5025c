#include "interpose/core/own_computation.hpp"

#include <link.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/core/program_clock.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

namespace {

// Of the kernel: what a thread had of a core, and how often it gave it up by itself.
struct Had {
  uint64_t cpu_ns = 0;
  int64_t given_up = 0;
};

Had had() {
  rusage used{};
  syscall(SYS_getrusage, RUSAGE_THREAD, &used);  // past the program's
  const auto ns = [](const timeval& time) {
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_usec) * 1000u;
  };
  return {ns(used.ru_utime) + ns(used.ru_stime), used.ru_nvcsw};
}

// Of this thread. `looked`: when the kernel was asked last, and what it said.
struct Computation {
  uint64_t since = 0;  // it computes; 0: nobody saw it begin
  uint64_t looked = 0;
  Had then;
};
constinit thread_local Computation own __attribute__((tls_model("initial-exec")));

uint64_t unseen_ns = 0;

// What is shorter cannot have been asleep, and the kernel is not asked.
constexpr double look_from_ns = 50'000;
// What it says is in whole microseconds.
constexpr double idle_from_ns = 20'000;

void look(uint64_t now) {
  own.looked = now;
  own.then = had();
}

// What of the time since the last look this thread did not have its core; `asleep`: by its own doing.
double idle_ns(uint64_t now, bool& asleep) {
  if (own.looked == 0) return 0;
  const Had here = had();
  asleep = here.given_up > own.then.given_up;
  const double elapsed_ns = static_cast<double>(now - own.looked) / ticks_of_ns();
  const double idle = elapsed_ns - static_cast<double>(here.cpu_ns - own.then.cpu_ns);
  own.looked = now;
  own.then = here;
  return idle > idle_from_ns ? idle : 0;
}

}  // namespace

bool computes_on_its_own() {
  return __builtin_expect(each_on_its_own, 0) && program_asks();
}

uint64_t settle_own(bool at_call) {
  const uint64_t now = ticks();
  if (own.since == 0 || now <= own.since) return now;
  double t_ns = static_cast<double>(now - own.since) / ticks_of_ns();
  const bool by_cpu = stretch_plan.meter == Meter::cpu;
  if (t_ns > look_from_ns || by_cpu) {
    bool asleep = false;
    const double idle = idle_ns(now, asleep);
    if (asleep) __atomic_fetch_add(&unseen_ns, static_cast<uint64_t>(idle), __ATOMIC_RELAXED);
    if (asleep || by_cpu) t_ns = t_ns > idle ? t_ns - idle : 0;
  }
  own.since = now;
  if (stretch_plan.factor <= 1) return now;
  const double owed_ns = t_ns * (stretch_plan.factor - 1);
  const uint64_t after =
      pass_stretch(now + static_cast<uint64_t>(owed_ns * ticks_of_ns()), stretch_plan.probes && at_call);
  // what others took of the core meanwhile is not taken from what is computed next
  if (owed_ns > look_from_ns || by_cpu) look(after);
  own.since = after;
  return after;
}

void settle_now() {
  if (each_on_its_own) {
    settle_own(false);
    return compute_on(Before::worked);
  }
  Thread* const thread = this_thread;
  if (thread != nullptr && dilating && !virtual_time)
    computes_from(*thread, stretch(*thread, ticks(), false));
}

void compute_on(Before before) {
  const uint64_t now = ticks();
  if (before == Before::waited) look(now);
  own.since = now;
}

uint64_t unseen_wait_ns() {
  return __atomic_load_n(&unseen_ns, __ATOMIC_RELAXED);
}

bool has_teams() {
  bool found = false;
  dl_iterate_phdr(
      [](dl_phdr_info* file, size_t, void* of) {
        const char* const slash = file->dlpi_name != nullptr ? strrchr(file->dlpi_name, '/') : nullptr;
        const char* const name = slash != nullptr ? slash + 1 : "";
        constexpr const char* makers[] = {"libgomp", "libomp.", "libomp-", "libomp5", "libiomp5"};
        for (const char* teams : makers)
          if (strncmp(name, teams, strlen(teams)) == 0) *static_cast<bool*>(of) = true;
        return 0;
      },
      &found);
  return found;
}

}  // namespace ww::interpose

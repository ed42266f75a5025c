#include "interpose/core/stretch.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/own_computation.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/virtual_clock.hpp"

namespace ww::interpose {

StretchPlan stretch_plan;

namespace {

double planned_factor = 1;  // stretch_plan's, unless the program has set another
double ticks_per_ns = 1;
void (*make_progress)() = nullptr;

// When any thread last came back from a call. Of threads that take turns (MPI_THREAD_SERIALIZED) the one that
// comes next has mostly waited for its turn until then, which is not computation.
uint64_t latest_leave = 0;

// Bins of how late stretches ended: [2^i, 2^(i+1)) ns, the first from 0.
constexpr int bins = 40;
uint64_t late[bins];
uint64_t stretches = 0, slept = 0;

constexpr uint64_t probe_every_ns = 10'000;
// A core that sleeps can be used by others and cools down; when it wakes up is uncertain by as much as
// milliseconds on a virtual machine, so that only long stretches are slept, and not to their end.
constexpr uint64_t sleep_from_ns = 20'000'000, spin_last_ns = 5'000'000;

uint64_t to_ticks(uint64_t ns) {
  return static_cast<uint64_t>(static_cast<double>(ns) * ticks_per_ns);
}
uint64_t to_ns(uint64_t in_ticks) {
  return static_cast<uint64_t>(static_cast<double>(in_ticks) / ticks_per_ns);
}

uint64_t sleep_bulk(uint64_t now, uint64_t target) {
  if (target - now < to_ticks(sleep_from_ns)) return now;
  __atomic_fetch_add(&slept, 1, __ATOMIC_RELAXED);
  while (target > now && target - now > to_ticks(spin_last_ns)) {  // a signal may end a sleep early
    const uint64_t ns = to_ns(target - now) - spin_last_ns;
    const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);  // past the program's own
    now = ticks();
  }
  return now;
}

// To an absolute target: what an interruption takes meanwhile is not added to what is owed.
uint64_t spin(uint64_t now, uint64_t target, bool probes) {
  uint64_t next_probe = now + to_ticks(probe_every_ns);
  while (now < target) {
    if (probes && now >= next_probe) {
      make_progress();
      next_probe = ticks() + to_ticks(probe_every_ns);
    }
    now = ticks();
  }
  return now;
}

void count_late(uint64_t ns) {
  int bin = 0;
  while (bin < bins - 1 && ns >= 2ull << bin) ++bin;
  __atomic_fetch_add(&late[bin], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&stretches, 1, __ATOMIC_RELAXED);
}

// Where the bin lies that holds this part of all.
double late_ns(double part) {
  const auto rank = static_cast<uint64_t>(part * static_cast<double>(stretches));
  uint64_t below = 0;
  for (int bin = 0; bin < bins; ++bin) {
    if (late[bin] == 0 || (below += late[bin]) <= rank) continue;
    const double low = bin == 0 ? 0 : static_cast<double>(1ull << bin);
    const double high = static_cast<double>(2ull << bin);
    const double before = static_cast<double>(below - late[bin]);
    return low +
           (high - low) * (part * static_cast<double>(stretches) - before) / static_cast<double>(late[bin]);
  }
  return 0;
}

}  // namespace

void set_stretch(const StretchPlan& given, double ticks_per_s, void (*progress)()) {
  stretch_plan = given;
  planned_factor = given.factor;
  make_progress = progress;
  if (progress == nullptr) stretch_plan.probes = false;
  if (ticks_per_s > 0) ticks_per_ns = ticks_per_s * 1e-9;
}

void change_stretch(double times) {
  const double factor = planned_factor * times;
  stretch_plan.factor = factor > 1 ? factor : 1;
}

double ticks_of_ns() {
  return ticks_per_ns;
}

uint64_t pass_stretch(uint64_t target, bool may_probe) {
  uint64_t now = ticks();
  if (!may_probe) now = sleep_bulk(now, target);
  now = spin(now, target, may_probe);
  count_late(to_ns(now - target));
  return now;
}

void computes_from(Thread& thread, uint64_t now) {
  thread.last_leave = now;
  if (virtual_time) return;
  if (concurrent) compute_on(each_on_its_own ? Before::waited : Before::worked);
  if (each_on_its_own) return;
  if (stretch_plan.meter == Meter::cpu) thread.last_cpu_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
  __atomic_store_n(&latest_leave, now, __ATOMIC_RELAXED);
}

// S3, section 2: the time between two communication events is t = t1 + t2 + t3 + t4, of the program, of the
// system for it, of the system for others, and waiting; t_new = t + (D - 1)(t1 + t2). Waiting for messages is
// inside calls here, so that t4 is only what the program waits for otherwise, and t3 what others took.
uint64_t stretch(Thread& thread, uint64_t now, bool at_call) {
  if (virtual_time) return enter_virtually(thread);
  if (each_on_its_own) return settle_own(at_call);
  const uint64_t elsewhere = __atomic_load_n(&latest_leave, __ATOMIC_RELAXED);
  const uint64_t since = thread.last_leave > elsewhere ? thread.last_leave : elsewhere;
  if (now <= since || stretch_plan.factor <= 1) return now;
  const uint64_t t = now - since;
  uint64_t t1_and_t2 = t;
  if (stretch_plan.meter == Meter::cpu) {
    const uint64_t had = to_ticks(real_ns(CLOCK_THREAD_CPUTIME_ID) - thread.last_cpu_ns);
    if (had < t1_and_t2) t1_and_t2 = had;
  }
  const uint64_t t_new =
      t + static_cast<uint64_t>(static_cast<double>(t1_and_t2) * (stretch_plan.factor - 1));
  const uint64_t target = since + t_new;
  // between calls another thread may be inside of one, where none may probe
  return pass_stretch(target, stretch_plan.probes && at_call);
}

uint64_t pass_waiting(uint64_t target) {
  return spin(ticks(), target, make_progress != nullptr);
}
uint64_t pass_in_software(uint64_t target) {
  return spin(ticks(), target, false);
}

void write_stretch(const char* thread_level) {
  DefinitionLine("fact")
      .text("name", "stretch")
      .real("factor", stretch_plan.factor)
      .text("meter", stretch_plan.meter == Meter::cpu ? "cpu" : "wall")
      .text("progress", stretch_plan.probes ? "probes" : "calls")
      .text("thread_level", thread_level)
      .number("calling_threads", thread_count())
      .boolean("teams", has_teams())
      .number("unseen_wait_ns", static_cast<int64_t>(unseen_wait_ns()))
      .number("count", static_cast<int64_t>(stretches))
      .number("slept", static_cast<int64_t>(slept))
      .real("late_median_ns", late_ns(0.5))
      .real("late_p99_ns", late_ns(0.99))
      .write();
}

}  // namespace ww::interpose

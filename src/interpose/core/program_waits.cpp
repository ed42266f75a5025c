// How long the program sleeps and waits while it is dilated. What it asks for is in its own time, so D times
// as long in real time:
//
// - Sleeping is computation that needs no processor: the thread sleeps D times as long, and that is not
//   stretched once more.
// - A wait with a time-out, of a thread that calls MPI: whatever it lasts, the stretch that follows makes it D
//   times as long, as it does with a read from a file, so the time-out stays as it is; a deadline is turned
//   into real time.
// - The same of a thread that never calls MPI: nothing of it is stretched, so its time-outs are D times as
//   long. And of all threads where each has its own computation: their waits are not computation
//   (own_computation.hpp).
// - Timers go off D times as late, and waiting for a signal is not stretched: what is computed until then
//   mostly was, so the program's clock says what it asked for, to within one stretch.
//
// Inside calls of the message library, and in its threads, all of them are as they were.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "interpose/core/next_function.hpp"
#include "interpose/core/own_computation.hpp"
#include "interpose/core/program_clock.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/virtual_clock.hpp"

namespace ww::interpose {

namespace {

Next<int(clockid_t, int, const timespec*, timespec*)> next_clock_nanosleep{"clock_nanosleep"};
Next<int(pollfd*, nfds_t, int)> next_poll{"poll"};
Next<int(pollfd*, nfds_t, const timespec*, const sigset_t*)> next_ppoll{"ppoll"};
Next<int(int, fd_set*, fd_set*, fd_set*, timeval*)> next_select{"select"};
Next<int(int, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*)> next_pselect{"pselect"};
Next<int(int, epoll_event*, int, int)> next_epoll_wait{"epoll_wait"};
Next<int(int, epoll_event*, int, int, const sigset_t*)> next_epoll_pwait{"epoll_pwait"};
Next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> next_timedwait{"pthread_cond_timedwait"};
Next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> next_clockwait{
    "pthread_cond_clockwait"};
Next<int(sem_t*, const timespec*)> next_sem_timedwait{"sem_timedwait"};
Next<int(sem_t*, clockid_t, const timespec*)> next_sem_clockwait{"sem_clockwait"};
Next<int(pthread_mutex_t*, const timespec*)> next_timedlock{"pthread_mutex_timedlock"};
Next<int(pthread_mutex_t*, clockid_t, const timespec*)> next_clocklock{"pthread_mutex_clocklock"};
Next<int(__itimer_which_t, const itimerval*, itimerval*)> next_setitimer{"setitimer"};
Next<int(__itimer_which_t, itimerval*)> next_getitimer{"getitimer"};
Next<int(timer_t, int, const itimerspec*, itimerspec*)> next_timer_settime{"timer_settime"};
Next<int(timer_t, itimerspec*)> next_timer_gettime{"timer_gettime"};
Next<int(int, int, const itimerspec*, itimerspec*)> next_timerfd_settime{"timerfd_settime"};
Next<int(int, itimerspec*)> next_timerfd_gettime{"timerfd_gettime"};

Next<int()> next_pause{"pause"};
Next<int(const sigset_t*)> next_sigsuspend{"sigsuspend"};
Next<int(const sigset_t*, int*)> next_sigwait{"sigwait"};
Next<int(const sigset_t*, siginfo_t*)> next_sigwaitinfo{"sigwaitinfo"};
Next<int(const sigset_t*, siginfo_t*, const timespec*)> next_sigtimedwait{"sigtimedwait"};

// A signal handler may sleep too, and dlsym is not for handlers.
__attribute__((constructor)) void find_all() {
  next_clock_nanosleep.get();
  next_poll.get();
  next_ppoll.get();
  next_select.get();
  next_pselect.get();
  next_epoll_wait.get();
  next_epoll_pwait.get();
  next_timedwait.get();
  next_clockwait.get();
  next_sem_timedwait.get();
  next_sem_clockwait.get();
  next_timedlock.get();
  next_clocklock.get();
  next_setitimer.get();
  next_getitimer.get();
  next_timer_settime.get();
  next_timer_gettime.get();
  next_timerfd_settime.get();
  next_timerfd_gettime.get();
  next_pause.get();
  next_sigsuspend.get();
  next_sigwait.get();
  next_sigwaitinfo.get();
  next_sigtimedwait.get();
}

constexpr int64_t second_ns = 1000000000;

int64_t ns_of(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * second_ns + time.tv_nsec;
}
timespec timespec_of(int64_t ns) {
  return {static_cast<time_t>(ns / second_ns), static_cast<long>(ns % second_ns)};
}
// What is not a time stays what it is: the function behind refuses it.
bool is_time(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < second_ns;
}
timespec times(const timespec& time, double factor) {
  if (!is_time(time)) return time;
  const double ns = static_cast<double>(ns_of(time)) * factor;
  constexpr double longest_ns = 9e18;
  return timespec_of(static_cast<int64_t>(ns < longest_ns ? ns : longest_ns));
}
timeval times(const timeval& time, double factor) {
  if (time.tv_sec < 0 || time.tv_usec < 0 || time.tv_usec >= 1000000) return time;
  const double us = (static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec)) * factor;
  const auto whole = static_cast<int64_t>(us + 0.5);
  // a timer of 0 is none
  const int64_t kept = whole == 0 && (time.tv_sec > 0 || time.tv_usec > 0) ? 1 : whole;
  return {static_cast<time_t>(kept / 1000000), static_cast<suseconds_t>(kept % 1000000)};
}

bool sleeps_longer() {
  return program_asks() && (program_rate() > 1 || virtual_time);
}

// Of a wait with a time-out: by what the time-out is to be multiplied.
double longer() {
  return sleeps_longer() && (this_thread == nullptr || each_on_its_own) ? program_rate() : 1;
}
int longer_ms(int timeout_ms) {
  const double factor = longer();
  if (factor == 1 || timeout_ms <= 0) return timeout_ms;
  const double real_ms = static_cast<double>(timeout_ms) * factor;
  return real_ms < INT_MAX ? static_cast<int>(real_ms) : INT_MAX;
}

// The real time at which a wait until then is to end.
timespec real_deadline(clockid_t id, const timespec& seen) {
  if (!sleeps_longer() || !is_dilated_clock(id) || !is_time(seen)) return seen;
  if (this_thread == nullptr || each_on_its_own) return timespec_of(real_deadline_ns(id, ns_of(seen)));
  const int64_t left_ns = ns_of(seen) - program_now_ns(id);
  return timespec_of(static_cast<int64_t>(real_ns(id)) + (left_ns > 0 ? left_ns : 0));
}

// A deadline does not say which clock it is of; the two are decades apart.
clockid_t clock_of(const timespec& deadline) {
  const int64_t at = ns_of(deadline);
  const int64_t to_day = at - static_cast<int64_t>(real_ns(CLOCK_REALTIME));
  const int64_t to_monotonic = at - static_cast<int64_t>(real_ns(CLOCK_MONOTONIC));
  return (to_day < 0 ? -to_day : to_day) < (to_monotonic < 0 ? -to_monotonic : to_monotonic)
             ? CLOCK_REALTIME
             : CLOCK_MONOTONIC;
}
timespec real_deadline(const timespec& seen) {
  return sleeps_longer() ? real_deadline(clock_of(seen), seen) : seen;
}

// What was computed before is stretched now; what this thread sleeps, never.
class Asleep {
 public:
  Asleep() : thread_(sleeps_longer() && dilating && !each_on_its_own ? this_thread : nullptr) {
    if (thread_ == nullptr) return;
    stretch(*thread_, ticks(), false);
    begin_ns_ = real_ns(CLOCK_MONOTONIC);
  }
  ~Asleep() {
    if (thread_ == nullptr) return;
    computes_from(*thread_, ticks());
    if (virtual_time)
      add_virtual_sleep(*thread_, static_cast<double>(real_ns(CLOCK_MONOTONIC) - begin_ns_) * 1e-9);
  }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

 private:
  const Meeting meeting_;
  Thread* thread_;
  uint64_t begin_ns_ = 0;
};

itimerspec real_timer(const itimerspec& seen, bool absolute) {
  const double factor = program_rate();
  itimerspec real{times(seen.it_interval, factor), times(seen.it_value, factor)};
  if (absolute && (seen.it_value.tv_sec != 0 || seen.it_value.tv_nsec != 0) && is_time(seen.it_value))
    real.it_value = timespec_of(real_deadline_ns(clock_of(seen.it_value), ns_of(seen.it_value)));
  return real;
}
void to_seen(itimerspec* timer) {
  if (timer == nullptr) return;
  const double factor = 1 / program_rate();
  *timer = {times(timer->it_interval, factor), times(timer->it_value, factor)};
}
void to_seen(itimerval* timer) {
  if (timer == nullptr) return;
  const double factor = 1 / program_rate();
  *timer = {times(timer->it_interval, factor), times(timer->it_value, factor)};
}

}  // namespace

}  // namespace ww::interpose

using namespace ww::interpose;

WW_SEEN int clock_nanosleep(clockid_t id, int flags, const timespec* wanted, timespec* left) {
  if (!sleeps_longer() || !is_dilated_clock(id)) return next_clock_nanosleep.get()(id, flags, wanted, left);
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const Asleep asleep;
  if (absolute) {
    const timespec real = is_time(*wanted) ? timespec_of(real_deadline_ns(id, ns_of(*wanted))) : *wanted;
    return next_clock_nanosleep.get()(id, flags, &real, left);
  }
  const double factor = program_rate();
  const timespec real = times(*wanted, factor);
  const int rc = next_clock_nanosleep.get()(id, flags, &real, left);
  if (rc == EINTR && left != nullptr) *left = times(*left, 1 / factor);
  return rc;
}

WW_SEEN int nanosleep(const timespec* wanted, timespec* left) {
  const int rc = clock_nanosleep(CLOCK_REALTIME, 0, wanted, left);
  if (rc == 0) return 0;
  errno = rc;
  return -1;
}

WW_SEEN int thrd_sleep(const timespec* wanted, timespec* left) {
  const int rc = clock_nanosleep(CLOCK_REALTIME, 0, wanted, left);
  return rc == 0 ? 0 : rc == EINTR ? -1 : -2;
}

WW_SEEN int usleep(useconds_t us) {
  const timespec wanted{static_cast<time_t>(us / 1000000), static_cast<long>(us % 1000000) * 1000};
  return nanosleep(&wanted, nullptr);
}

WW_SEEN unsigned sleep(unsigned seconds) {
  const timespec wanted{static_cast<time_t>(seconds), 0};
  timespec left{};
  if (clock_nanosleep(CLOCK_REALTIME, 0, &wanted, &left) == 0) return 0;
  return static_cast<unsigned>(left.tv_sec) + (left.tv_nsec >= second_ns / 2);
}

WW_SEEN int poll(pollfd* files, nfds_t count, int timeout_ms) {
  const Meeting meeting;
  return next_poll.get()(files, count, longer_ms(timeout_ms));
}

WW_SEEN int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  const Meeting meeting;
  const double factor = longer();
  if (factor == 1 || timeout == nullptr) return next_ppoll.get()(files, count, timeout, mask);
  const timespec real = times(*timeout, factor);
  return next_ppoll.get()(files, count, &real, mask);
}

// Where a recorder has a wrapper of its own, that calls this one by another name.
#ifndef WW_SELECT
#define WW_SELECT select
#endif
WW_SEEN int WW_SELECT(int count, fd_set* read, fd_set* write, fd_set* failed, timeval* timeout) {
  const Meeting meeting;
  const double factor = longer();
  if (factor == 1 || timeout == nullptr) return next_select.get()(count, read, write, failed, timeout);
  timeval real = times(*timeout, factor);
  const int rc = next_select.get()(count, read, write, failed, &real);
  *timeout = times(real, 1 / factor);  // Linux leaves what is left
  return rc;
}

WW_SEEN int pselect(int count, fd_set* read, fd_set* write, fd_set* failed, const timespec* timeout,
                    const sigset_t* mask) {
  const Meeting meeting;
  const double factor = longer();
  if (factor == 1 || timeout == nullptr) return next_pselect.get()(count, read, write, failed, timeout, mask);
  const timespec real = times(*timeout, factor);
  return next_pselect.get()(count, read, write, failed, &real, mask);
}

WW_SEEN int epoll_wait(int epoll, epoll_event* events, int most, int timeout_ms) {
  const Meeting meeting;
  return next_epoll_wait.get()(epoll, events, most, longer_ms(timeout_ms));
}

WW_SEEN int epoll_pwait(int epoll, epoll_event* events, int most, int timeout_ms, const sigset_t* mask) {
  const Meeting meeting;
  return next_epoll_pwait.get()(epoll, events, most, longer_ms(timeout_ms), mask);
}

WW_SEEN int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                   const timespec* deadline) {
  const Meeting meeting;
  const timespec real = real_deadline(*deadline);
  return next_timedwait.get()(condition, mutex, &real);
}

WW_SEEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t id,
                                   const timespec* deadline) {
  const Meeting meeting;
  const timespec real = real_deadline(id, *deadline);
  return next_clockwait.get()(condition, mutex, id, &real);
}

WW_SEEN int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  const Meeting meeting;
  const timespec real = real_deadline(CLOCK_REALTIME, *deadline);
  return next_sem_timedwait.get()(semaphore, &real);
}

WW_SEEN int sem_clockwait(sem_t* semaphore, clockid_t id, const timespec* deadline) {
  const Meeting meeting;
  const timespec real = real_deadline(id, *deadline);
  return next_sem_clockwait.get()(semaphore, id, &real);
}

WW_SEEN int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  const Meeting meeting;
  const timespec real = real_deadline(CLOCK_REALTIME, *deadline);
  return next_timedlock.get()(mutex, &real);
}

WW_SEEN int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t id, const timespec* deadline) noexcept {
  const Meeting meeting;
  const timespec real = real_deadline(id, *deadline);
  return next_clocklock.get()(mutex, id, &real);
}

WW_SEEN int setitimer(__itimer_which_t which, const itimerval* wanted, itimerval* before) noexcept {
  if (!sleeps_longer() || wanted == nullptr) return next_setitimer.get()(which, wanted, before);
  const double factor = program_rate();
  const itimerval real{times(wanted->it_interval, factor), times(wanted->it_value, factor)};
  const int rc = next_setitimer.get()(which, &real, before);
  to_seen(before);
  return rc;
}

WW_SEEN int getitimer(__itimer_which_t which, itimerval* timer) noexcept {
  const int rc = next_getitimer.get()(which, timer);
  if (rc == 0 && sleeps_longer()) to_seen(timer);
  return rc;
}

WW_SEEN unsigned alarm(unsigned seconds) noexcept {
  const itimerval wanted{{0, 0}, {static_cast<time_t>(seconds), 0}};
  itimerval before{};
  if (setitimer(ITIMER_REAL, &wanted, &before) != 0) return 0;
  const auto whole = static_cast<unsigned>(before.it_value.tv_sec);
  // what is left is told in whole seconds, and never as none
  return whole + (before.it_value.tv_usec >= 500000 || (whole == 0 && before.it_value.tv_usec > 0));
}

WW_SEEN int timer_settime(timer_t timer, int flags, const itimerspec* wanted, itimerspec* before) noexcept {
  if (!sleeps_longer()) return next_timer_settime.get()(timer, flags, wanted, before);
  const itimerspec real = real_timer(*wanted, (flags & TIMER_ABSTIME) != 0);
  const int rc = next_timer_settime.get()(timer, flags, &real, before);
  if (rc == 0) to_seen(before);
  return rc;
}

WW_SEEN int timer_gettime(timer_t timer, itimerspec* value) noexcept {
  const int rc = next_timer_gettime.get()(timer, value);
  if (rc == 0 && sleeps_longer()) to_seen(value);
  return rc;
}

WW_SEEN int timerfd_settime(int timer, int flags, const itimerspec* wanted, itimerspec* before) noexcept {
  if (!sleeps_longer()) return next_timerfd_settime.get()(timer, flags, wanted, before);
  const itimerspec real = real_timer(*wanted, (flags & TFD_TIMER_ABSTIME) != 0);
  const int rc = next_timerfd_settime.get()(timer, flags, &real, before);
  if (rc == 0) to_seen(before);
  return rc;
}

WW_SEEN int timerfd_gettime(int timer, itimerspec* value) noexcept {
  const int rc = next_timerfd_gettime.get()(timer, value);
  if (rc == 0 && sleeps_longer()) to_seen(value);
  return rc;
}

WW_SEEN int pause() {
  const Asleep asleep;
  return next_pause.get()();
}

WW_SEEN int sigsuspend(const sigset_t* mask) {
  const Asleep asleep;
  return next_sigsuspend.get()(mask);
}

WW_SEEN int sigwait(const sigset_t* wanted, int* signal) {
  const Asleep asleep;
  return next_sigwait.get()(wanted, signal);
}

WW_SEEN int sigwaitinfo(const sigset_t* wanted, siginfo_t* info) {
  const Asleep asleep;
  return next_sigwaitinfo.get()(wanted, info);
}

WW_SEEN int sigtimedwait(const sigset_t* wanted, siginfo_t* info, const timespec* timeout) {
  if (!sleeps_longer() || timeout == nullptr) return next_sigtimedwait.get()(wanted, info, timeout);
  const Asleep asleep;
  const timespec real = times(*timeout, program_rate());
  return next_sigtimedwait.get()(wanted, info, &real);
}

/* Sleeps and waits in every way for 50 ms, and computes so long: what the program's clock and what the
   kernel's say it took, from a thread that calls MPI and from one that does not. One line of JSON: {"what":
   [seen, real]}. */
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define ASKED_S 0.05
#define ASKED_NS 50000000L

static double seconds(struct timespec t) {
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double seen(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return seconds(t);
}
static double real(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return seconds(t);
}
/* Processor time, as the kernel says. */
static double used(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
  return seconds(t);
}
static struct timespec later(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  t.tv_nsec += ASKED_NS;
  if (t.tv_nsec >= 1000000000L) ++t.tv_sec, t.tv_nsec -= 1000000000L;
  return t;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER, monotonic_condition;
static sem_t semaphore;
static const struct timespec asked = {0, ASKED_NS};

static void by_nanosleep(void) {
  nanosleep(&asked, NULL);
}
static void by_clock_nanosleep(void) {
  clock_nanosleep(CLOCK_MONOTONIC, 0, &asked, NULL);
}
static void by_absolute_nanosleep(void) {
  const struct timespec until = later(CLOCK_MONOTONIC);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}
static void by_usleep(void) {
  usleep((useconds_t)(ASKED_S * 1e6));
}
static void by_thrd_sleep(void) {
  thrd_sleep(&asked, NULL);
}
static void by_poll(void) {
  poll(NULL, 0, (int)(ASKED_S * 1e3));
}
static void by_ppoll(void) {
  ppoll(NULL, 0, &asked, NULL);
}
static void by_select(void) {
  struct timeval timeout = {0, ASKED_NS / 1000};
  select(0, NULL, NULL, NULL, &timeout);
}
static void by_pselect(void) {
  pselect(0, NULL, NULL, NULL, &asked, NULL);
}
static void by_epoll_wait(void) {
  struct epoll_event event;
  const int epoll = epoll_create1(0);
  epoll_wait(epoll, &event, 1, (int)(ASKED_S * 1e3));
  close(epoll);
}
static void by_cond_timedwait(void) {
  const struct timespec until = later(CLOCK_REALTIME);
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
}
static void by_monotonic_cond_timedwait(void) {
  const struct timespec until = later(CLOCK_MONOTONIC);
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&monotonic_condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
}
static void by_cond_clockwait(void) {
  const struct timespec until = later(CLOCK_MONOTONIC);
  pthread_mutex_lock(&mutex);
  pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until);
  pthread_mutex_unlock(&mutex);
}
static void by_sem_timedwait(void) {
  const struct timespec until = later(CLOCK_REALTIME);
  sem_timedwait(&semaphore, &until);
}
static void by_sem_clockwait(void) {
  const struct timespec until = later(CLOCK_MONOTONIC);
  sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until);
}
static void by_mutex_timedlock(void) {
  const struct timespec until = later(CLOCK_REALTIME);
  pthread_mutex_timedlock(&held, &until);
}
static void on_signal(int number) {
  (void)number;
}
static void by_itimer(void) {
  const struct itimerval timer = {{0, 0}, {0, ASKED_NS / 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  pause();
}
static void by_timer(void) {
  const struct itimerspec value = {{0, 0}, {0, ASKED_NS}};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  sigset_t wanted;
  timer_t timer;
  int number;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &value, NULL);
  sigwait(&wanted, &number);
  timer_delete(timer);
}

static const struct {
  const char* name;
  void (*wait)(void);
} ways[] = {{"nanosleep", by_nanosleep},
            {"clock_nanosleep", by_clock_nanosleep},
            {"clock_nanosleep until", by_absolute_nanosleep},
            {"usleep", by_usleep},
            {"thrd_sleep", by_thrd_sleep},
            {"poll", by_poll},
            {"ppoll", by_ppoll},
            {"select", by_select},
            {"pselect", by_pselect},
            {"epoll_wait", by_epoll_wait},
            {"pthread_cond_timedwait", by_cond_timedwait},
            {"pthread_cond_timedwait monotonic", by_monotonic_cond_timedwait},
            {"pthread_cond_clockwait", by_cond_clockwait},
            {"sem_timedwait", by_sem_timedwait},
            {"sem_clockwait", by_sem_clockwait},
            {"pthread_mutex_timedlock", by_mutex_timedlock},
            {"setitimer", by_itimer},
            {"timer_settime", by_timer}};

static void all_ways(const char* who) {
  unsigned i;
  for (i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
    if (*who != 0 && ways[i].wait == by_itimer) continue; /* its signal is for any thread */
    const double seen_before = seen(CLOCK_MONOTONIC), real_before = real();
    ways[i].wait();
    const double seen_after = seen(CLOCK_MONOTONIC), real_after = real();
    printf("%s\"%s%s\":[%.9f,%.9f]", i == 0 ? "" : ",", who, ways[i].name, seen_after - seen_before,
           real_after - real_before);
  }
}

static void* beside(void* unused) {
  (void)unused;
  all_ways("beside: ");
  return NULL;
}

static double usage(int who) {
  struct rusage now;
  getrusage(who, &now);
  return (double)(now.ru_utime.tv_sec + now.ru_stime.tv_sec) +
         (double)(now.ru_utime.tv_usec + now.ru_stime.tv_usec) * 1e-6;
}
static double ticks_used(void) {
  struct tms now;
  times(&now);
  return (double)(now.tms_utime + now.tms_stime) / (double)sysconf(_SC_CLK_TCK);
}
static double by_timespec_get(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return seconds(now);
}

enum { process, thread_clock, by_clock, self, of_thread, by_times, day, readings };
static const char* reading_names[readings] = {"CLOCK_PROCESS_CPUTIME_ID",
                                              "CLOCK_THREAD_CPUTIME_ID",
                                              "clock",
                                              "getrusage",
                                              "getrusage of the thread",
                                              "times",
                                              "timespec_get"};
static void read_all(double* value) {
  value[process] = seen(CLOCK_PROCESS_CPUTIME_ID);
  value[thread_clock] = seen(CLOCK_THREAD_CPUTIME_ID);
  value[by_clock] = (double)clock() / CLOCKS_PER_SEC;
  value[self] = usage(RUSAGE_SELF);
  value[of_thread] = usage(RUSAGE_THREAD);
  value[by_times] = ticks_used();
  value[day] = by_timespec_get();
}

int main(int argc, char** argv) {
  struct sigaction action = {.sa_handler = on_signal};
  pthread_condattr_t attributes;
  pthread_t other;
  double before[readings], after[readings];
  int rank, i;
  sigset_t of_timer;
  sigemptyset(&of_timer);
  sigaddset(&of_timer, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &of_timer, NULL); /* in the threads of MPI too: it is sent to the process */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank > 0) return MPI_Finalize();
  sigaction(SIGALRM, &action, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&monotonic_condition, &attributes);
  sem_init(&semaphore, 0, 0);
  pthread_mutex_lock(&held);
  printf("{");
  all_ways("");
  printf(",");
  fflush(stdout);
  pthread_create(&other, NULL, beside, NULL);
  pthread_join(other, NULL);
  read_all(before);
  const double used_before = used(), begin = real();
  while (real() - begin < 0.5) {
  }
  read_all(after);
  const double used_after = used(), end = real();
  for (i = 0; i < readings; ++i)
    printf(",\"computed by %s\":[%.9f,%.9f]", reading_names[i], after[i] - before[i],
           i == day ? end - begin : used_after - used_before);
  alarm(100);
  printf(",\"left\":%u}\n", alarm(0));
  fflush(stdout);
  return MPI_Finalize();
}

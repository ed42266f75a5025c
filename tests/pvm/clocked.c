/* Programs of PVM whose virtual time is known. clocked WHAT ROUNDS BYTES OTHERS: the first task spawns so many others, and prints as JSON what its
   own clocks say that WHAT took, what really passed, and what else each test asks for. */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { most = 16, start = 1, work = 2, result = 3, ended = 4, ready = 5 };
static const double unit = 2e-3;
static int tids[most + 1], tasks, self, rounds,
    bytes; /* tids: of all, the first is the one that was started */
static char data[1 << 20];
static volatile double sink;

static void need(int rc, const char* what) {
  if (rc >= 0) return;
  fprintf(stderr, "%s: %d\n", what, rc);
  exit(1);
}
static double real(int clock) {
  struct timespec t;
  syscall(SYS_clock_gettime, clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double seen(void) {
  struct timeval t;
  gettimeofday(&t, NULL);
  return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}
/* For so much processor time. */
static void compute(double seconds) {
  const double end = real(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (real(CLOCK_THREAD_CPUTIME_ID) < end)
    for (int i = 0; i < 1000; ++i) sink = sink + 1;
}
static void send_to(int to, int tag) {
  need(pvm_initsend(PvmDataRaw), "pvm_initsend");
  need(pvm_pkbyte(data, bytes, 1), "pvm_pkbyte");
  need(pvm_send(tids[to], tag), "pvm_send");
}
static void from(int task, int tag) {
  need(pvm_recv(tids[task], tag), "pvm_recv");
}

static void ring(void) {
  for (int i = 0; i < rounds; ++i) {
    if (self == 0) send_to(1 % tasks, work);
    from((self + tasks - 1) % tasks, work);
    if (self != 0) send_to((self + 1) % tasks, work);
  }
}
/* Each round the first task gives all others a piece of work, and takes what they made of it as it comes. */
static void workers(void) {
  if (self == 0) {
    for (int i = 0; i < rounds; ++i) {
      for (int to = 1; to < tasks; ++to) send_to(to, work);
      for (int left = tasks - 1; left > 0; --left) need(pvm_recv(-1, result), "pvm_recv");
    }
    for (int to = 1; to < tasks; ++to) send_to(to, ended);
    return;
  }
  for (;;) {
    if (pvm_probe(tids[0], ended) > 0) return;
    if (pvm_nrecv(tids[0], work) <= 0) continue;
    compute(unit);
    send_to(0, result);
  }
}
static void barriers(void) {
  for (int i = 0; i < rounds; ++i) {
    if (self == i % tasks) compute(unit);
    need(pvm_barrier("clocked", tasks), "pvm_barrier");
  }
}
/* Looks for a message of one that sleeps, then waits for one that does not come. */
static void polling(void) {
  if (self == 1) {
    usleep(100000);
    send_to(0, work);
  } else {
    struct timeval at_most = {0, 50000};
    while (pvm_nrecv(tids[1], work) <= 0) {
    }
    if (pvm_trecv(tids[1], result, &at_most) != 0) exit(1);
  }
}

/* Hears from PVM that the two others have ended, which exchange messages with one another until then. */
static void ends(void) {
  if (self == 0) {
    need(pvm_notify(PvmTaskExit, ended, tasks - 1, tids + 1), "pvm_notify");
    send_to(1, work);
    for (int other = 1; other < tasks; ++other) need(pvm_recv(-1, ended), "pvm_recv");
  } else {
    if (self == 1) from(0, work);
    for (int i = 0; i < rounds; ++i) {
      if (self == 1) send_to(2, work);
      from(3 - self, work);
      if (self == 2) send_to(1, work);
    }
    if (self == 1) raise(SIGKILL);
    pvm_exit();
    exit(0);
  }
}

/* One that is spawned when its parent's clock is far ahead of the real one tells when it began. */
static double born(void) {
  char* words[] = {"born", NULL};
  double times[2] = {0, seen()};
  if (pvm_parent() == PvmNoParent) {
    int tid = 0;
    const double spawned = seen();
    if (pvm_spawn("clocked", words, PvmTaskDefault, "", 1, &tid) != 1) need(-1, "pvm_spawn");
    need(pvm_recv(tid, result), "pvm_recv");
    need(pvm_upkdouble(times, 2, 1), "pvm_upkdouble");
    return times[1] - spawned;
  }
  need(pvm_initsend(PvmDataRaw), "pvm_initsend");
  need(pvm_pkdouble(times, 2, 1), "pvm_pkdouble");
  need(pvm_send(pvm_parent(), result), "pvm_send");
  pvm_exit();
  exit(0);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  rounds = argc > 2 ? atoi(argv[2]) : 1;
  bytes = argc > 3 ? atoi(argv[3]) : 8;
  const int others = argc > 4 ? atoi(argv[4]) : 1;
  tids[0] = pvm_mytid();
  need(tids[0], "pvm_mytid");
  tasks = others + 1;
  if (strcmp(what, "born") == 0) born();
  double spawned = 0, begun = 0, late = 0;
  if (pvm_parent() == PvmNoParent) {
    spawned = seen();
    if (pvm_spawn("clocked", argv + 1, PvmTaskDefault, "", others, tids + 1) != others) need(-1, "pvm_spawn");
    need(pvm_initsend(PvmDataRaw), "pvm_initsend");
    need(pvm_pkint(tids, tasks, 1), "pvm_pkint");
    need(pvm_mcast(tids + 1, others, start), "pvm_mcast");
  } else {
    const int own = tids[0];
    begun = seen();
    need(pvm_recv(pvm_parent(), start), "pvm_recv");
    need(pvm_upkint(tids, tasks, 1), "pvm_upkint");
    while (tids[self] != own) ++self;
  }
  /* How long the others took to begin is no part of it. */
  if (self != 0) send_to(0, ready);
  for (int other = 1; self == 0 && other < tasks; ++other) from(other, ready);
  if (strcmp(what, "barriers") == 0) {
    need(pvm_joingroup("clocked"), "pvm_joingroup");
    need(pvm_barrier("clocked", tasks), "pvm_barrier");
  }
  const double began = seen(), really_began = real(CLOCK_MONOTONIC);
  if (strcmp(what, "ring") == 0) ring();
  if (strcmp(what, "workers") == 0) workers();
  if (strcmp(what, "barriers") == 0) barriers();
  if (strcmp(what, "polling") == 0) polling();
  if (strcmp(what, "ends") == 0) ends();
  const double took = seen() - began, really_took = real(CLOCK_MONOTONIC) - really_began;
  /* When the others began, and when they were done, on the clocks that they see. */
  double times[2] = {begun, seen()};
  need(pvm_initsend(PvmDataRaw), "pvm_initsend");
  need(pvm_pkdouble(times, 2, 1), "pvm_pkdouble");
  if (self != 0) need(pvm_send(tids[0], result + 10), "pvm_send");
  if (self == 0) {
    double first = 1e300, last = 0;
    for (int other = 1; other < tasks && strcmp(what, "ends") != 0; ++other) {
      from(other, result + 10);
      need(pvm_upkdouble(times, 2, 1), "pvm_upkdouble");
      if (times[0] < first) first = times[0];
      if (times[1] > last) last = times[1];
    }
    const double known = seen() - last;
    if (strcmp(what, "ring") == 0) late = born();
    printf(
        "{\"seen_s\": %.6f, \"real_s\": %.6f, \"spawned_to_begun_s\": %.6f, \"done_to_known_s\": %.6f, "
        "\"late_to_begun_s\": %.6f, \"exported\": \"%s\"}\n",
        took, really_took, first - spawned, known, late, getenv("PVM_EXPORT"));
    fflush(stdout);
  }
  if (strcmp(what, "barriers") == 0) pvm_lvgroup("clocked");
  pvm_exit();
  return 0;
}

/* Preloaded behind the recorder: CLOCK_MONOTONIC set wrong on purpose. SKEWED_CLOCK says "OFFSET_NS FROM_NS
   DRIFT BEND_NS DRIFT_AFTER", instants by the true clock: shown is t + OFFSET + DRIFT (t - FROM), and from
   BEND on DRIFT_AFTER more a second. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double offset_ns, drift, drift_after;
static long long from_ns, bend_ns;

__attribute__((constructor)) static void read_skew(void) {
  const char* text = getenv("SKEWED_CLOCK");
  char* next;
  if (text == NULL) return;
  offset_ns = strtod(text, &next);
  from_ns = strtoll(next, &next, 10);
  drift = strtod(next, &next);
  bend_ns = strtoll(next, &next, 10);
  drift_after = strtod(next, &next);
}

int clock_gettime(clockid_t id, struct timespec* value) {
  const int rc = (int)syscall(SYS_clock_gettime, id, value);
  if (rc != 0 || id != CLOCK_MONOTONIC || from_ns == 0) return rc;
  const long long now = value->tv_sec * 1000000000LL + value->tv_nsec;
  const long long bent = now > bend_ns ? now - bend_ns : 0;
  const long long seen =
      now + (long long)(offset_ns + drift * (double)(now - from_ns) + drift_after * (double)bent);
  value->tv_sec = seen / 1000000000LL;
  value->tv_nsec = seen % 1000000000LL;
  return 0;
}

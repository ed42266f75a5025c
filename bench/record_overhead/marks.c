/* What a region, a value and a function cost: batches of them with pauses between, so that no function is called more than 100,000 times a
 * second. marks.py compiles it with -finstrument-functions, and with -fpatchable-function-entry=5, and starts both with and without the recorder. Prints one JSON object. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <whatwire/marker.h>

enum { in_batch = 64, batches = 600 };

#define OWN __attribute__((no_instrument_function, patchable_function_entry(0)))

OWN static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static volatile int sink;
__attribute__((noinline)) void seen(int i) {
  sink = i;
}
__attribute__((noinline, no_instrument_function, patchable_function_entry(0))) void unseen(int i) {
  sink = i;
}

OWN static void function(int i) {
  seen(i);
}
OWN static void plain(int i) {
  unseen(i);
}
OWN static void region(int i) {
  ww_region_begin("region");
  sink = i;
  ww_region_end("region");
}
OWN static void value(int i) {
  sink = i;
  ww_value_double("value", i);
}

OWN static int by_size(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

/* Followed in the copy that marks.py has whatwire instrument make. */
static volatile double watched_variable;
OWN static void watched(int i) {
  watched_variable = i;
}

/* The median of the batches. */
OWN static double ns_each(void (*body)(int)) {
  static double took[batches];
  for (int b = 0; b < batches; ++b) {
    usleep(1000);
    body(b); /* what the pause cooled down */
    const double begin = now_ns();
    for (int i = 0; i < in_batch; ++i) body(i);
    took[b] = (now_ns() - begin) / in_batch;
  }
  qsort(took, batches, sizeof took[0], by_size);
  return took[batches / 2];
}

OWN int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double of_plain = ns_each(plain), of_function = ns_each(function), of_region = ns_each(region);
  const double of_value = ns_each(value), of_watched = ns_each(watched);
  printf("{\"plain\":%.2f,\"function\":%.2f,\"region\":%.2f,\"value\":%.2f,\"watched\":%.2f}\n", of_plain,
         of_function, of_region, of_value, of_watched);
  return MPI_Finalize();
}

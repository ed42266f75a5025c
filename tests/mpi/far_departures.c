/* Two ranks on machines whose clocks differ (skewed_clock.c) send each other messages, each with when it was sent by
   the true clock. By how much the recorder is wrong about their departure, on the clock of whoever receives:
   what it says the message has taken since, against what it truly has. far_departures COUNT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned long long told_when;
static int told_known;
static void observe(int source, int tag, unsigned long long when, unsigned long long bytes, int known) {
  (void)source, (void)tag, (void)bytes;
  told_when = when;
  told_known = known;
}
static long long of(struct timespec t) {
  return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}
static long long shown(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return of(t);
}
static long long truly(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return of(t);
}

int main(int argc, char** argv) {
  void (*observer)(void (*)(int, int, unsigned long long, unsigned long long, int));
  const int count = atoi(argv[1]);
  char name[4096];
  int rank, i, unknown = 0;
  long long *error = malloc(sizeof *error * (size_t)count), *after = malloc(sizeof *after * (size_t)count);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *(void**)&observer = dlsym(RTLD_DEFAULT, "ww_observe_departures");
  if (observer == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  observer(observe);
  const long long begin = truly();
  for (i = 0; i < count; ++i) {
    long long sent = 0;
    usleep(5000);
    if (rank == i % 2) {
      sent = truly();
      MPI_Send(&sent, sizeof sent, MPI_BYTE, 1 - rank, i % 3, MPI_COMM_WORLD);
      continue;
    }
    MPI_Recv(&sent, sizeof sent, MPI_BYTE, 1 - rank, i % 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const long long before = truly(), now = shown(), then = truly();
    unknown += !told_known;
    error[i] = (now - (long long)told_when) - (before + (then - before) / 2 - sent);
    after[i] = before - begin;
  }
  /* more than are received: they must not keep MPI_Finalize waiting */
  for (i = 0; i < 10 && rank == 0; ++i) {
    MPI_Request request;
    MPI_Isend(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (i = 0; i < 10 && rank == 1; ++i) {
    int got;
    MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  char* text = malloc(64 * (size_t)count);
  int n = snprintf(text, 100, "{\"rank\":%d,\"unknown\":%d,\"errors\":[", rank, unknown), first = 1;
  for (i = 0; i < count; ++i)
    if (rank != i % 2) {
      n += snprintf(text + n, 60, "%s[%lld,%lld]", first ? "" : ",", after[i], error[i]);
      first = 0;
    }
  /* Into a file of its own: of two ranks' long lines mpirun passes on pieces as they come. */
  snprintf(name, sizeof name, "%s/said-%d", argv[2], rank);
  FILE* said = fopen(name, "w");
  if (said == NULL || fprintf(said, "%s]}\n", text) < 0 || fclose(said) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return MPI_Finalize();
}

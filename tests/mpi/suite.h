/* What the programs of the suite share. Each checks its own results (standard output and the exit code are
   the same with and without the recorder) and writes what it did to PREFIX.RANK, by hand, beside each of its
   calls, one of these a line; RANK and PEER are ranks of the trace: of MPI_COMM_WORLD, in spawned processes
   suite_base is added:

   - call NAME: a call was made between MPI_Init and MPI_Finalize
   - sent PEER TAG BYTES, received PEER TAG BYTES: a message
   - truncated PEER TAG: a message was received that was longer than its room
   - volume PEER BYTES: of an alltoallv or w that does not send as much to all, what went to PEER
   - carried FROM TO BYTES: of another collective whose sizes differ by rank, what went from rank to rank
   - collective NAME GIVEN GOT: this rank's bytes of a completed collective, NAME as of the blocking call
   - onesided KIND TARGET OUT IN: a transfer to a window; window KIND: a call that synchronises one
   - file KIND OFFSET WANTED GOT: reading or writing a file (OFFSET -1: none given); file_event KIND */
#ifndef SUITE_H
#define SUITE_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, failures, suite_base;
static FILE* suite_counts;

#define DO(name, ...) (fprintf(suite_counts, "call MPI_" #name "\n"), MPI_##name(__VA_ARGS__))
#define HOLDS(condition) \
  ((condition)           \
       ? (void)0         \
       : (void)(++failures, printf("rank %d line %d: %s\n", suite_base + rank, __LINE__, #condition)))

static inline void sent(int peer, int tag, long long bytes) {
  fprintf(suite_counts, "sent %d %d %lld\n", peer, tag, bytes);
}
static inline void received(int peer, int tag, long long bytes) {
  fprintf(suite_counts, "received %d %d %lld\n", peer, tag, bytes);
}
static inline void collective(const char* name, long long given, long long got) {
  fprintf(suite_counts, "collective MPI_%s %lld %lld\n", name, given, got);
}

static inline void volume(int peer, long long bytes) {
  fprintf(suite_counts, "volume %d %lld\n", peer, bytes);
}

static inline void carried(int from, int to, long long bytes) {
  fprintf(suite_counts, "carried %d %d %lld\n", from, to, bytes);
}

static inline void suite_begin(int* argc, char*** argv) {
  char name[512];
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (*argc < 2) exit(4);
  if (*argc > 2) suite_base = atoi((*argv)[2]);
  snprintf(name, sizeof name, "%s.%d", (*argv)[1], suite_base + rank);
  suite_counts = fopen(name, "w");
  if (suite_counts == NULL) exit(4);
  fprintf(suite_counts, "call MPI_Comm_rank\ncall MPI_Comm_size\n");
}

/* The exit code of the program: 1 if anything did not hold, else that of the highest rank (the last to
 * leave). */
static inline int suite_end(int code) {
  fclose(suite_counts);
  printf("rank %d: %d failures\n", suite_base + rank, failures);
  fflush(stdout);
  MPI_Finalize();
  if (failures) return 1;
  if (rank < ranks - 1) return 0;
  usleep(300000); /* the launcher ends the other ranks when one returns an error */
  return code;
}
#endif

/* Programs whose virtual time is known. Prints, as JSON, what MPI_Wtime says that they took on each rank, and
   the processor time that their computations had. Argument: which. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks;
static double cpu(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double real(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double had;
static volatile double sink;
/* Computes for so much processor time. */
static void compute(double seconds) {
  const double begin = cpu();
  double now = begin;
  while (now - begin < seconds) {
    int i;
    for (i = 0; i < 1000; ++i) sink = sink + 1;
    now = cpu();
  }
  had += now - begin;
}

static char buffer[1 << 22];
static const double unit = 2e-3;

/* Ranks 0 and 1 take turns to compute twice as much as the other: each round takes the longer one and a
 * message. */
static void alternate(int rounds, int bytes) {
  int i;
  for (i = 0; i < rounds; ++i) {
    compute((i + rank) % 2 ? 2 * unit : unit);
    MPI_Sendrecv(buffer, bytes, MPI_BYTE, 1 - rank, 0, buffer + bytes, bytes, MPI_BYTE, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
static void pingpong(int rounds, int bytes) {
  int i;
  for (i = 0; i < rounds; ++i) {
    if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank < 2) MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}
/* Computes while a message is on its way, in either kind of request. */
static void overlap(int rounds, int bytes, int persistent) {
  MPI_Request r[2];
  int i;
  if (persistent) {
    MPI_Send_init(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(buffer + bytes, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
  }
  for (i = 0; i < rounds; ++i) {
    if (persistent) {
      MPI_Startall(2, r);
    } else {
      MPI_Irecv(buffer + bytes, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &r[1]);
      MPI_Isend(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    }
    compute(unit);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  if (persistent) {
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
  }
}
/* Everybody sends to rank 0 at once: its port takes one after the other. */
static void incast(int rounds, int bytes) {
  int i, from;
  for (i = 0; i < rounds; ++i) {
    for (from = 1; from < ranks && rank == 0; ++from)
      MPI_Recv(buffer, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
/* Every rank exchanges with the one that is half of them away, and says so to its neighbour: with two ranks
 * on a host they share its port, and wait for one another. */
static void shift(int rounds, int bytes) {
  const int other = (rank + ranks / 2) % ranks, neighbour = rank ^ 1;
  int i;
  for (i = 0; i < rounds; ++i) {
    MPI_Sendrecv(buffer, bytes, MPI_BYTE, other, 0, buffer + bytes, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(buffer, 0, MPI_BYTE, neighbour, 1, buffer, 0, MPI_BYTE, neighbour, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}
/* A root that waits for nobody. */
static void broadcasts(int rounds, int bytes) {
  int i;
  for (i = 0; i < rounds; ++i) MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
/* The receiver comes late for a large message, on purpose. */
static void late(int bytes) {
  if (rank == 1) compute(10 * unit);
  if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void collectives(int rounds) {
  double a[2] = {0, 1}, b[2];
  MPI_Request r;
  MPI_Comm dup;
  int i;
  for (i = 0; i < rounds; ++i) {
    if (rank == i % ranks) compute(unit);
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  for (i = 0; i < rounds; ++i) {
    MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Barrier(dup);
  MPI_Comm_free(&dup);
}
static void polling(void) {
  MPI_Request r;
  int done = 0;
  if (rank == 0) {
    MPI_Irecv(buffer, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &r);
    while (!done) MPI_Test(&r, &done, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    usleep(100000);
    MPI_Send(buffer, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}
static void wildcards(void) {
  int i;
  for (i = 1; i < ranks && rank == 0; ++i)
    MPI_Recv(buffer, 8, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Send(buffer, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}
static void one_sided(void) {
  MPI_Win win;
  MPI_Win_create(buffer, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(buffer + 8, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

/* Rank 1 begins its collectives when it is told that rank 0 began all of its own; of those rank 0 completes
 * the last first. */
static void many_open(int count) {
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)count);
  int* values = calloc((size_t)count, sizeof(int));
  int i;
  if (rank == 1) MPI_Recv(buffer, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (i = 0; i < count; ++i) {
    values[i] = rank == 0 ? i : -1;
    MPI_Ibcast(&values[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[i]);
  }
  if (rank == 0) MPI_Send(buffer, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  for (i = 0; i < count; ++i) MPI_Wait(&requests[rank == 0 ? count - 1 - i : i], MPI_STATUS_IGNORE);
  for (i = 0; i < count; ++i)
    if (values[i] != i) exit(5);
  free(requests);
  free(values);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int rounds = argc > 2 ? atoi(argv[2]) : 1, bytes = argc > 3 ? atoi(argv[3]) : 8;
  double begin, real_begin, seen;
  int level;
  MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  begin = MPI_Wtime();
  real_begin = real();
  if (strcmp(what, "alternate") == 0) alternate(rounds, bytes);
  if (strcmp(what, "pingpong") == 0) pingpong(rounds, bytes);
  if (strcmp(what, "overlap") == 0) overlap(rounds, bytes, 0);
  if (strcmp(what, "persistent") == 0) overlap(rounds, bytes, 1);
  if (strcmp(what, "incast") == 0) incast(rounds, bytes);
  if (strcmp(what, "shift") == 0) shift(rounds, bytes);
  if (strcmp(what, "broadcasts") == 0) broadcasts(rounds, bytes);
  if (strcmp(what, "late") == 0) late(bytes);
  if (strcmp(what, "collectives") == 0) collectives(rounds);
  if (strcmp(what, "many_open") == 0) many_open(rounds);
  if (strcmp(what, "polling") == 0) polling();
  if (strcmp(what, "wildcards") == 0) wildcards();
  if (strcmp(what, "one_sided") == 0) one_sided();
  seen = MPI_Wtime() - begin;
  printf("{\"rank\": %d, \"seen_s\": %.9f, \"had_s\": %.9f, \"real_s\": %.9f}\n", rank, seen, had,
         real() - real_begin);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}

/* Which calls read the request of a large message that came while their rank computed. Two ranks exchange 100,000 bytes at 100 Mb/s or so; rank
   1 comes late and does something first. If that reads rank 0's request, the reply goes before rank 1's own request and rank 0's data before its
   reply, so the messages go one after the other, else both at once. Each line: what was done, and the exchange's time in times of one message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { large_bytes = 100000, rounds = 7 };
static char out[large_bytes], in[large_bytes], own_out[16384], own_in[16384];

static void compute(double seconds) {
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < seconds)
    ;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static void to_itself(int rank, int bytes) {
  MPI_Request request;
  MPI_Irecv(own_in, bytes, MPI_CHAR, rank, 7, MPI_COMM_WORLD, &request);
  MPI_Send(own_out, bytes, MPI_CHAR, rank, 7, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What rank 0 does before it exchanges, and rank 1 after it has computed. */
static void first(const char* what, int rank) {
  char small[8] = "";
  const int has_small = strcmp(what, "receive") == 0;
  int flag = 0;
  if (rank == 0) {
    if (has_small) MPI_Send(small, 8, MPI_CHAR, 1, 9, MPI_COMM_WORLD);
    return;
  }
  if (has_small) MPI_Recv(small, 8, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(what, "probe") == 0) MPI_Iprobe(0, 11, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  if (strcmp(what, "own-4096") == 0) to_itself(rank, 4096);
  if (strcmp(what, "own-8192") == 0) to_itself(rank, 8192);
}

static double exchange_s(const char* what, int rank) {
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  compute(rank == 0 ? 0.5e-3 : 3e-3);
  double begin = rank == 1 ? MPI_Wtime() : 0;
  first(what, rank);
  MPI_Irecv(in, large_bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(out, large_bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double end = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return end - begin; /* of one clock: both are on one machine */
}

static double alone_s(int rank) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (rank == 0) {
    MPI_Send(out, large_bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in, large_bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, large_bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, large_bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - begin) / 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  double times[rounds];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < rounds; ++i) times[i] = alone_s(rank);
  qsort(times, rounds, sizeof *times, compare);
  const double one_s = times[rounds / 2];
  for (int what = 1; what < argc; ++what) {
    for (int i = 0; i < rounds; ++i) times[i] = exchange_s(argv[what], rank);
    qsort(times, rounds, sizeof *times, compare);
    if (rank == 0) printf("%s %.3f\n", argv[what], times[rounds / 2] / one_s);
  }
  MPI_Finalize();
  return 0;
}

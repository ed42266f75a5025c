/* exchange KIND BYTES STEPS COMPUTE_US SKEW_US: two ranks compute, one of them in turn SKEW_US longer, and
   exchange messages of BYTES: KIND sendrecv (MPI_Sendrecv), blocking (MPI_Irecv, MPI_Send, MPI_Wait), all
   (MPI_Irecv, MPI_Isend, MPI_Waitall), planes (two messages each way as NPB's mg sends its planes: the second
   is waited for first). Prints what a step took. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work and not time, the same in every run: on machines of 2026 about as long as it says. */
static void compute(double seconds) {
  volatile double x = 1;
  long i, n = (long)(seconds * 3e8);
  for (i = 0; i < n; ++i) x = x * 1.0000001;
}

int main(int argc, char** argv) {
  int rank, other, step, bytes, steps;
  char *out[2], *in[2];
  double compute_s, skew_s, begin;
  MPI_Request of[4];
  MPI_Init(&argc, &argv);
  if (argc != 6) return fprintf(stderr, "usage: exchange KIND BYTES STEPS COMPUTE_US SKEW_US\n"), 2;
  bytes = atoi(argv[2]);
  steps = atoi(argv[3]);
  compute_s = atof(argv[4]) * 1e-6;
  skew_s = atof(argv[5]) * 1e-6;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  for (step = 0; step < 2; ++step) {
    out[step] = malloc(bytes);
    in[step] = malloc(bytes);
    memset(out[step], rank, bytes);
    memset(in[step], 2, bytes);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
  for (step = 0; step < steps; ++step) {
    compute(compute_s + (step % 2 == rank ? skew_s : 0));
    if (strcmp(argv[1], "sendrecv") == 0) {
      MPI_Sendrecv(out[0], bytes, MPI_CHAR, other, 0, in[0], bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else if (strcmp(argv[1], "blocking") == 0) {
      MPI_Irecv(in[0], bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, of);
      MPI_Send(out[0], bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
      MPI_Wait(of, MPI_STATUS_IGNORE);
    } else if (strcmp(argv[1], "all") == 0) {
      MPI_Irecv(in[0], bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, of);
      MPI_Isend(out[0], bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, of + 1);
      MPI_Waitall(2, of, MPI_STATUSES_IGNORE);
    } else {
      MPI_Irecv(in[0], bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, of);
      MPI_Irecv(in[1], bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD, of + 1);
      MPI_Send(out[0], bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
      MPI_Send(out[1], bytes, MPI_CHAR, other, 1, MPI_COMM_WORLD);
      MPI_Wait(of + 1, MPI_STATUS_IGNORE);
      MPI_Wait(of, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0)
    printf("%s of %d bytes: %.1f us a step\n", argv[1], bytes, (MPI_Wtime() - begin) / steps * 1e6);
  return MPI_Finalize();
}

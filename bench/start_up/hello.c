/* The shortest program of MPI, which says when it came where. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  double at[4];
  int rank;
  at[0] = now();
  MPI_Init(&argc, &argv);
  at[1] = now();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  at[2] = now();
  MPI_Finalize();
  at[3] = now();
  if (rank == 0) printf("at %.6f %.6f %.6f %.6f\n", at[0], at[1], at[2], at[3]);
  return 0;
}

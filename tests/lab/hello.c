/* Each rank says on which host it is and which cores it may use; rank 0 prints all in order. The exit code is
   the first argument. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char host[64] = "", folder[256] = "", line[512] = "";
  gethostname(host, sizeof host - 1);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  snprintf(line, sizeof line, "%d %s %d %s", rank, host, CPU_COUNT(&cores), getcwd(folder, sizeof folder));
  if (rank != 0) MPI_Send(line, sizeof line, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  for (int from = 0; rank == 0 && from < size; ++from) {
    if (from > 0) MPI_Recv(line, sizeof line, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s\n", line);
  }
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}

/* Two ranks exchange every few milliseconds until there is FILE, or a signal ends them: guided FILE. Rank 0 decides, and says at the end how often. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, mine = 0, other = 0, rounds = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("begins\n");
    fflush(stdout);
  }
  for (; rank == 0 ? mine == 0 : other == 0; ++rounds) {
    const struct timespec pause = {0, 5000000};
    nanosleep(&pause, NULL);
    if (rank == 0) mine = argc > 1 && access(argv[1], F_OK) == 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 7, &other, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("rounds %d\n", rounds);
  MPI_Finalize();
  return 0;
}

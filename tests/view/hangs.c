/* Exchanges for ROUNDS rounds of some milliseconds, then two ranks wait for one another for ever. hangs ROUNDS [FILE]: the second half of the rounds is not begun before
   there is FILE. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 0;
  int rank, value = 0, other = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < rounds; ++i) {
    const struct timespec pause = {0, 5000000 + 5000000 * rank};
    do nanosleep(&pause, NULL);
    while (i == rounds / 2 && argc > 2 && access(argv[2], F_OK) != 0);
    MPI_Sendrecv(&value, 1, MPI_INT, 1 - rank, 7, &other, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 40 + rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}

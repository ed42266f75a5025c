/* pauses BYTES PAUSE_US... : half a round trip between two ranks, in a loop that computes for so long before each message, in microseconds:
   a line for each pause, with the 10th, 50th and 90th hundredth of 200 (60 from 10 ms on). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void* one, const void* other) {
  const double a = *(const double*)one, b = *(const double*)other;
  return (a > b) - (a < b);
}

static void compute_until(double end_s) {
  while (MPI_Wtime() < end_s) {
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int bytes = argc > 1 ? atoi(argv[1]) : 8;
  char* data = calloc(1, (size_t)bytes + 1);
  for (int k = 2; k < argc; ++k) {
    const double pause_s = atof(argv[k]) * 1e-6;
    const int count = pause_s < 10e-3 ? 200 : 60;
    double half_us[200];
    for (int i = 0; i < count; ++i) {
      if (rank == 0) compute_until(MPI_Wtime() + pause_s);
      const double begin_s = MPI_Wtime();
      if (rank == 0) MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) {
        compute_until(MPI_Wtime() + pause_s);
        MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
      half_us[i] = (MPI_Wtime() - begin_s - pause_s) / 2 * 1e6;
    }
    qsort(half_us, (size_t)count, sizeof half_us[0], by_value);
    if (rank == 0)
      printf("%s %.1f %.1f %.1f\n", argv[k], half_us[count / 10], half_us[count / 2],
             half_us[count * 9 / 10]);
  }
  free(data);
  MPI_Finalize();
  return 0;
}

/* everything [ROUNDS]: a little of all that a display of the viewer can show, on any number of ranks from 2: messages of several sizes
 * and tags along a ring and along the edges of a hypercube, collectives with a late rank, user regions, values and markers, a file,
 * a window of one-sided communication. Rank r computes (r + 1) units each round, so that what is waited for is known. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <whatwire/marker.h>

static void compute(double ms) {
  struct timespec rest = {0, (long)(ms * 1e6)}; /* asleep: the ranks may share a core */
  nanosleep(&rest, NULL);
}

int main(int argc, char** argv) {
  static double data[8192], in[8192];
  int rank, size, round, bit, rounds = argc > 1 ? atoi(argv[1]) : 6;
  double sum = 0, one = 1;
  MPI_Win window;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ww_marker("set-up done");
  for (round = 0; round < rounds; ++round) {
    MPI_Request request;
    ww_region_begin("round");
    ww_region_begin("work");
    compute(2.0 * (rank + 1));
    ww_region_end("work");
    ww_region_begin("exchange");
    MPI_Isend(data, 64 << round % 8, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(in, 8192, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (bit = 1; bit < size; bit *= 2)
      if ((rank ^ bit) < size)
        MPI_Sendrecv(data, 1024, MPI_DOUBLE, rank ^ bit, 2, in, 8192, MPI_DOUBLE, rank ^ bit, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ww_region_end("exchange");
    ww_region_begin("reduce");
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ww_region_end("reduce");
    ww_value_double("residual", 1.0 / (1 << round) + rank);
    ww_value_int("round", round);
    ww_region_end("round");
  }
  MPI_Sendrecv(data, 1, MPI_DOUBLE, (rank + size - 1) % size, 3, in, 1, MPI_DOUBLE, (rank + 1) % size, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the way back, over other nodes of a cube */
  MPI_Win_create(in, sizeof in, sizeof in[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(data, 512, MPI_DOUBLE, (rank + 1) % size, 0, 512, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  if (MPI_File_open(MPI_COMM_WORLD, "everything.out",
                    MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                    &file) == MPI_SUCCESS) {
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof data, data, 8192, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  ww_marker("done");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sum %g of %d\n", sum, size);
  MPI_Finalize();
  return sum == size ? 0 : 1;
}

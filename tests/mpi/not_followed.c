/* Communicates in ways that are recorded as calls only; not_followed_test.py wants each named in a
 * diagnostic. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_File file;
  MPI_Win window;
  int data = 1, got = 0;
  MPI_Init(&argc, &argv);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  MPI_File_write_all(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Win_create(&got, sizeof got, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
#if MPI_VERSION >= 4
  MPI_Request request;
  MPI_Isendrecv(&data, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  MPI_Finalize();
  return 0;
}

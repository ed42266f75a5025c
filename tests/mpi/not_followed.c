/* Communicates in ways that are recorded as calls only; not_followed_test.py wants each named in a
 * diagnostic. */
#include <mpi.h>

int main(int argc, char** argv) {
  int data = 1, got = 0;
  MPI_Init(&argc, &argv);
#if MPI_VERSION >= 4
  MPI_Request request;
  MPI_Isendrecv(&data, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  MPI_Finalize();
  return 0;
}

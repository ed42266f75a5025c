/* Calls that fail under MPI_ERRORS_RETURN: the program sees the same error classes, and the trace holds only
   what took place. A message that was too long was received all the same. */
#include "suite.h"

static int data[64], into[64];

static void fails(int line, int code, int expected) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  fprintf(suite_counts, "call MPI_Error_class\n");
  if (error_class != expected)
    ++failures, printf("rank %d line %d: class %d, not %d\n", rank, line, error_class, expected);
}
#define FAILS(expected, name, ...) fails(__LINE__, DO(name, __VA_ARGS__), expected)

int main(int argc, char** argv) {
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int other, class_of[3], i;
  suite_begin(&argc, &argv);
  other = 1 - rank;
  DO(Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  DO(Comm_set_errhandler, MPI_COMM_SELF, MPI_ERRORS_RETURN);
#ifdef OPEN_MPI /* MPICH of Debian checks no arguments: what is wrong in them would be undefined */
  MPI_Comm copy;
  MPI_Datatype open_type;
  FAILS(MPI_ERR_RANK, Send, data, 1, MPI_INT, ranks + 7, 1, MPI_COMM_WORLD);
  FAILS(MPI_ERR_RANK, Isend, data, 1, MPI_INT, -77, 1, MPI_COMM_WORLD, &requests[0]);
  FAILS(MPI_ERR_COUNT, Send, data, -1, MPI_INT, other, 1, MPI_COMM_WORLD);
  FAILS(MPI_ERR_TAG, Send, data, 1, MPI_INT, other, -5, MPI_COMM_WORLD);
  FAILS(MPI_ERR_TYPE, Send, data, 1, MPI_DATATYPE_NULL, other, 1, MPI_COMM_WORLD);
  FAILS(MPI_ERR_RANK, Recv, into, 1, MPI_INT, ranks + 7, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  FAILS(MPI_ERR_RANK, Irecv, into, 1, MPI_INT, ranks + 7, 1, MPI_COMM_WORLD, &requests[0]);
  FAILS(MPI_ERR_ROOT, Bcast, data, 1, MPI_INT, ranks + 7, MPI_COMM_WORLD);
  FAILS(MPI_ERR_COUNT, Allreduce, data, into, -3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  FAILS(MPI_ERR_RANK, Iprobe, ranks + 7, 1, MPI_COMM_WORLD, &i, MPI_STATUS_IGNORE);
  DO(Type_vector, 2, 1, 2, MPI_INT, &open_type);
  FAILS(MPI_ERR_TYPE, Send, data, 1, open_type, other, 1, MPI_COMM_WORLD); /* not committed */
  DO(Type_free, &open_type);
  FAILS(MPI_ERR_COMM, Comm_dup, MPI_COMM_NULL, &copy);
#endif
  /* too long for its room: the same key as the next message, which has to find its own sender */
  if (rank == 0) {
    DO(Send, data, 8, MPI_INT, 1, 5, MPI_COMM_WORLD), sent(1, 5, 32);
    DO(Send, data, 2, MPI_INT, 1, 5, MPI_COMM_WORLD), sent(1, 5, 8);
  } else if (rank == 1) {
    FAILS(MPI_ERR_TRUNCATE, Recv, into, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fprintf(suite_counts, "truncated 0 5\n");
    DO(Recv, into, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &statuses[0]), received(0, 5, 8);
  }
  /* one of three fails: the others are complete */
  if (rank == 0) {
    for (i = 0; i < 3; ++i)
      DO(Send, data, i == 1 ? 9 : 1, MPI_INT, 1, 6 + i, MPI_COMM_WORLD), sent(1, 6 + i, i == 1 ? 36 : 4);
  } else if (rank == 1) {
    for (i = 0; i < 3; ++i) DO(Irecv, into + 8 * i, 2, MPI_INT, 0, 6 + i, MPI_COMM_WORLD, &requests[i]);
    FAILS(MPI_ERR_IN_STATUS, Waitall, 3, requests, statuses);
    for (i = 0; i < 3; ++i) {
      DO(Error_class, statuses[i].MPI_ERROR, &class_of[i]);
      if (class_of[i] == MPI_ERR_PENDING) { /* not touched by the failed call: waited for now */
        DO(Wait, &requests[i], MPI_STATUS_IGNORE);
        class_of[i] = MPI_SUCCESS;
      }
      if (i == 1)
        fprintf(suite_counts, "truncated 0 7\n");
      else
        received(0, 6 + i, 4);
    }
    HOLDS(class_of[0] == MPI_SUCCESS && class_of[1] == MPI_ERR_TRUNCATE && class_of[2] == MPI_SUCCESS);
  }
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  return suite_end(8);
}

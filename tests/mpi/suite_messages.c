/* Messages of every kind: all modes, to oneself, of no size, of more than 2 GiB, of derived types, to nobody;
   requests that share handles; wildcards; completion in every way; persistent ones; probes; what is taken
   back. */
#include "suite.h"

static int right, left, data[4096], into[4096];

static void modes(void) {
  int size = 1 << 20;
  void* room = malloc((size_t)size);
  MPI_Request requests[8];
  DO(Buffer_attach, room, size);
  DO(Irecv, into, 4096, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  DO(Irecv, into, 4096, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
  DO(Irecv, into, 4096, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[2]);
  DO(Irecv, into, 4096, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[3]);
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  DO(Send, data, 10, MPI_INT, right, 1, MPI_COMM_WORLD), sent(right, 1, 40);
  DO(Bsend, data, 11, MPI_INT, right, 2, MPI_COMM_WORLD), sent(right, 2, 44);
  DO(Rsend, data, 12, MPI_INT, right, 3, MPI_COMM_WORLD), sent(right, 3, 48);
  DO(Ssend, data, 13, MPI_INT, right, 4, MPI_COMM_WORLD), sent(right, 4, 52);
  DO(Waitall, 4, requests, MPI_STATUSES_IGNORE);
  received(left, 1, 40), received(left, 2, 44), received(left, 3, 48), received(left, 4, 52);
  DO(Irecv, into, 4096, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  DO(Irecv, into, 4096, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[1]);
  DO(Irecv, into, 4096, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[2]);
  DO(Irecv, into, 4096, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[3]);
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  DO(Isend, data, 4000, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[4]), sent(right, 1, 16000);
  DO(Ibsend, data, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[5]), sent(right, 2, 4);
  DO(Irsend, data, 2, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[6]), sent(right, 3, 8);
  DO(Issend, data, 3, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[7]), sent(right, 4, 12);
  DO(Waitall, 8, requests, MPI_STATUSES_IGNORE);
  received(left, 1, 16000), received(left, 2, 4), received(left, 3, 8), received(left, 4, 12);
  DO(Sendrecv, data, 5, MPI_INT, right, 5, into, 4096, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sent(right, 5, 20), received(left, 5, 20);
  DO(Sendrecv_replace, data, 6, MPI_INT, right, 6, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sent(right, 6, 24), received(left, 6, 24);
  DO(Buffer_detach, &room, &size);
  free(room);
}

static void to_oneself_and_nobody(void) {
  MPI_Request requests[6];
  MPI_Status status, statuses[6];
  int i, got = -1;
  for (i = 0; i < 3; ++i) {
    DO(Isend, data, i, MPI_INT, rank, 7, MPI_COMM_WORLD, &requests[0]), sent(rank, 7, 4 * i);
    DO(Recv, into, 8, MPI_INT, rank, 7, MPI_COMM_WORLD, &status), received(rank, 7, 4 * i);
    DO(Get_count, &status, MPI_INT, &got);
    HOLDS(got == i && status.MPI_SOURCE == rank);
    DO(Wait, &requests[0], MPI_STATUS_IGNORE);
  }
  DO(Isend, data, 2, MPI_INT, 0, 7, MPI_COMM_SELF, &requests[0]), sent(rank, 7, 8);
  DO(Recv, into, 8, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE), received(rank, 7, 8);
  DO(Wait, &requests[0], &status);
  /* of no size, from anyone */
  DO(Isend, NULL, 0, MPI_DOUBLE, right, 8, MPI_COMM_WORLD, &requests[0]), sent(right, 8, 0);
  DO(Recv, NULL, 0, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status), received(left, 8, 0);
  HOLDS(status.MPI_SOURCE == left && status.MPI_TAG == 8);
  DO(Wait, &requests[0], MPI_STATUS_IGNORE);
  /* nobody: calls, but no messages; their requests may share one handle */
  DO(Send, data, 9, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  DO(Recv, into, 9, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  HOLDS(status.MPI_SOURCE == MPI_PROC_NULL);
  for (i = 0; i < 3; ++i) DO(Isend, data, 9, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[i]);
  for (i = 3; i < 6; ++i) DO(Irecv, into, 9, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[i]);
  DO(Waitall, 6, requests, statuses);
  DO(Sendrecv, data, 9, MPI_INT, right, 9, into, 9, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD,
     MPI_STATUS_IGNORE);
  sent(right, 9, 36);
  DO(Sendrecv, data, 9, MPI_INT, MPI_PROC_NULL, 9, into, 9, MPI_INT, left, 9, MPI_COMM_WORLD,
     MPI_STATUS_IGNORE);
  received(left, 9, 36);
}

static void types(void) {
  MPI_Datatype column, pair, part, shifted, copy;
  const int lengths[2] = {1, 2}, sizes[2] = {8, 8}, parts[2] = {3, 2}, starts[2] = {1, 4};
  const MPI_Aint at[2] = {0, 8};
  const MPI_Datatype of[2] = {MPI_CHAR, MPI_DOUBLE};
  int round;
  DO(Type_vector, 8, 1, 8, MPI_INT, &column);
  DO(Type_commit, &column);
  DO(Type_create_struct, 2, lengths, at, of, &pair);
  DO(Type_commit, &pair);
  DO(Type_create_subarray, 2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &part);
  DO(Type_commit, &part);
  DO(Type_create_resized, MPI_INT, 0, 64, &shifted);
  DO(Type_commit, &shifted);
  for (round = 0; round < 2; ++round) {
    DO(Sendrecv, data, 1, column, right, 1, into, 8, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(right, 1, 32), received(left, 1, 32);
    DO(Sendrecv, data, 3, pair, right, 1, into, 3, pair, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(right, 1, 51), received(left, 1, 51);
    DO(Sendrecv, data, 1, part, right, 1, into, 6, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(right, 1, 24), received(left, 1, 24);
    DO(Sendrecv, data, 4, shifted, right, 1, into, 4, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(right, 1, 16), received(left, 1, 16);
    /* a type whose handle may be that of the freed one, and whose size is another */
    DO(Type_contiguous, 5 + round, MPI_SHORT, &copy);
    DO(Type_commit, &copy);
    DO(Sendrecv, data, 2, copy, right, 1, into, 2, copy, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sent(right, 1, 2 * 2 * (5 + round)), received(left, 1, 2 * 2 * (5 + round));
    DO(Type_free, &copy);
  }
  DO(Type_free, &column);
  DO(Type_free, &pair);
  DO(Type_free, &part);
  DO(Type_free, &shifted);
}

/* More than an int counts: 2 GiB and 1 MiB, from rank 0 to rank 1. */
static void large(void) {
  const long long bytes = (1LL << 31) + (1 << 20);
  MPI_Datatype block;
  DO(Type_contiguous, 1 << 20, MPI_BYTE, &block);
  DO(Type_commit, &block);
  if (rank < 2) {
    char* memory = calloc((size_t)bytes, 1);
    MPI_Status status;
    MPI_Count blocks = 0;
    if (memory == NULL) exit(3);
    if (rank == 0) {
      memory[bytes - 1] = 42;
      DO(Send, memory, 2049, block, 1, 21, MPI_COMM_WORLD), sent(1, 21, bytes);
    } else {
      DO(Recv, memory, 2049, block, 0, 21, MPI_COMM_WORLD, &status), received(0, 21, bytes);
      DO(Get_elements_x, &status, MPI_BYTE, &blocks);
      HOLDS(blocks == bytes && memory[bytes - 1] == 42);
    }
    free(memory);
  }
  DO(Type_free, &block);
}

static void completion(void) {
  MPI_Request requests[8];
  MPI_Status statuses[8];
  int i, index, flag, done, indices[8], left_over;
  for (i = 0; i < 4; ++i) DO(Irecv, into + 16 * i, 16, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
  DO(Testall, 4, requests, &flag, MPI_STATUSES_IGNORE);
  HOLDS(!flag);
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  for (i = 3; i >= 0; --i) {
    DO(Isend, data, i + 1, MPI_INT, right, i, MPI_COMM_WORLD, &requests[4 + i]);
    sent(right, i, 4 * (i + 1));
  }
  DO(Waitany, 4, requests, &index, MPI_STATUS_IGNORE), received(left, index, 4 * (index + 1));
  for (left_over = 3; left_over > 0; left_over -= done) {
    DO(Waitsome, 4, requests, &done, indices, left_over % 2 ? statuses : MPI_STATUSES_IGNORE);
    for (i = 0; i < done; ++i) received(left, indices[i], 4 * (indices[i] + 1));
  }
  DO(Waitany, 4, requests, &index, MPI_STATUS_IGNORE);
  HOLDS(index == MPI_UNDEFINED);
  do DO(Test, &requests[4], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  do DO(Testany, 4, requests + 4, &index, &flag, MPI_STATUS_IGNORE);
  while (!flag);
  do DO(Testsome, 4, requests + 4, &done, indices, MPI_STATUSES_IGNORE);
  while (done == 0);
  DO(Waitall, 4, requests + 4, MPI_STATUSES_IGNORE);
  /* two from anyone with any tag, completed in one call without statuses: the recorder has to ask for them */
  DO(Irecv, into, 16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  DO(Irecv, into, 16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
  DO(Isend, data, 3, MPI_INT, right, 33, MPI_COMM_WORLD, &requests[2]), sent(right, 33, 12);
  DO(Isend, data, 4, MPI_INT, right, 34, MPI_COMM_WORLD, &requests[3]), sent(right, 34, 16);
  DO(Waitall, 4, requests, MPI_STATUSES_IGNORE), received(left, 33, 12), received(left, 34, 16);
  /* more room than message, and nothing that tells so: neither a status nor a neighbour in the call */
  DO(Irecv, into, 16, MPI_INT, left, 35, MPI_COMM_WORLD, &requests[0]);
  DO(Isend, data, 1, MPI_INT, right, 36, MPI_COMM_WORLD, &requests[1]), sent(right, 36, 4);
  DO(Isend, data, 5, MPI_INT, right, 35, MPI_COMM_WORLD, &requests[2]), sent(right, 35, 20);
  DO(Irecv, into + 16, 16, MPI_INT, left, 36, MPI_COMM_WORLD, &requests[3]);
  DO(Waitall, 1, &requests[0], MPI_STATUSES_IGNORE), received(left, 35, 20);
  requests[0] = requests[3], requests[3] = MPI_REQUEST_NULL;
  DO(Waitall, 4, requests, MPI_STATUSES_IGNORE), received(left, 36, 4);
  /* taken back */
  DO(Irecv, into, 16, MPI_INT, left, 77, MPI_COMM_WORLD, &requests[0]);
  DO(Cancel, &requests[0]);
  DO(Wait, &requests[0], &statuses[0]);
  DO(Test_cancelled, &statuses[0], &flag);
  HOLDS(flag);
  /* found complete, and freed without another look; and a send that was taken back, where the library can */
  DO(Irecv, into, 16, MPI_INT, MPI_ANY_SOURCE, 42, MPI_COMM_WORLD, &requests[0]);
  DO(Isend, data, 3, MPI_INT, right, 42, MPI_COMM_WORLD, &requests[1]), sent(right, 42, 12);
  do DO(Request_get_status, requests[0], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  DO(Request_free, &requests[0]), received(left, 42, 12);
  do DO(Request_get_status, requests[1], &flag, &statuses[0]);
  while (!flag);
  DO(Wait, &requests[1], MPI_STATUS_IGNORE);
#ifndef OPEN_MPI
  DO(Issend, data, 3, MPI_INT, 0, 43, MPI_COMM_SELF, &requests[0]), sent(rank, 43, 12);
  DO(Cancel, &requests[0]);
  DO(Request_get_status, requests[0], &flag, &statuses[0]);
  HOLDS(flag);
  DO(Test_cancelled, &statuses[0], &flag);
  HOLDS(flag);
  DO(Request_free, &requests[0]);
#endif
  /* persistent, started again and again; a send that nobody waits for */
  DO(Recv_init, into, 16, MPI_INT, left, 40, MPI_COMM_WORLD, &requests[0]);
  DO(Ssend_init, data, 7, MPI_INT, right, 40, MPI_COMM_WORLD, &requests[1]);
  for (i = 0; i < 3; ++i) {
    DO(Startall, 2, requests), sent(right, 40, 28);
    DO(Waitall, 2, requests, i % 2 ? statuses : MPI_STATUSES_IGNORE), received(left, 40, 28);
  }
  DO(Request_free, &requests[0]);
  DO(Request_free, &requests[1]);
  DO(Isend, data, 2, MPI_INT, right, 41, MPI_COMM_WORLD, &requests[0]), sent(right, 41, 8);
  DO(Request_free, &requests[0]);
  DO(Recv, into, 2, MPI_INT, left, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE), received(left, 41, 8);
}

static void probes(void) {
  MPI_Message message;
  MPI_Status status;
  MPI_Request request, sends[3];
  int flag, i;
  for (i = 0; i < 3; ++i)
    DO(Isend, data, i + 1, MPI_INT, right, 50 + i, MPI_COMM_WORLD, &sends[i]),
        sent(right, 50 + i, 4 * (i + 1));
  DO(Probe, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &status);
  HOLDS(status.MPI_SOURCE == left);
  DO(Recv, into, 1, MPI_INT, status.MPI_SOURCE, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE), received(left, 50, 4);
  DO(Mprobe, MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  DO(Mrecv, into, 2, MPI_INT, &message, MPI_STATUS_IGNORE), received(left, 51, 8);
  do DO(Improbe, left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
  while (!flag);
  DO(Imrecv, into, 9, MPI_INT, &message, &request);
  DO(Wait, &request, &status), received(left, 52, 12);
  HOLDS(status.MPI_TAG == 52);
  DO(Mprobe, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
  HOLDS(message == MPI_MESSAGE_NO_PROC);
  DO(Mrecv, into, 9, MPI_INT, &message, &status);
  DO(Waitall, 3, sends, MPI_STATUSES_IGNORE);
  DO(Iprobe, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  HOLDS(!flag);
}

int main(int argc, char** argv) {
  int i;
  for (i = 0; i < 4096; ++i) data[i] = i;
  suite_begin(&argc, &argv);
  right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  modes();
  to_oneself_and_nobody();
  types();
  completion();
  probes();
  large();
  return suite_end(6);
}

/* Makes every kind of call whose meaning is recorded, on two ranks, checks what it received, and counts for
   itself what it did. Arguments: a prefix; the counts go to PREFIX.RANK. Standard output is the same with and
   without the recorder. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, other, failures;
static FILE* counts;

/* The call, counted under its name. */
#define DO(name, ...) (fprintf(counts, "call MPI_" #name "\n"), MPI_##name(__VA_ARGS__))
#define HOLDS(condition) \
  ((condition) ? (void)0 : (void)(++failures, printf("rank %d line %d: %s\n", rank, __LINE__, #condition)))

static void action(const char* kind, long bytes) {
  fprintf(counts, "action %s %ld\n", kind, bytes);
}
static void collective(const char* call, long given, long got) {
  fprintf(counts, "collective %s %ld %ld\n", call, given, got);
}

static void blocking(void) {
  int data[64], i;
  MPI_Status status;
  char buffer[4096];
  for (i = 0; i < 64; ++i) data[i] = rank * 1000 + i;
  int size = sizeof buffer;
  DO(Buffer_attach, buffer, size);
  if (rank == 0) {
    DO(Send, data, 10, MPI_INT, 1, 1, MPI_COMM_WORLD), action("send", 40);
    DO(Ssend, data, 11, MPI_INT, 1, 2, MPI_COMM_WORLD), action("send", 44);
    DO(Bsend, data, 12, MPI_INT, 1, 3, MPI_COMM_WORLD), action("send", 48);
    DO(Send, data, 0, MPI_INT, 1, 4, MPI_COMM_WORLD), action("send", 0);
    DO(Send, data, 5, MPI_DOUBLE, MPI_PROC_NULL, 4, MPI_COMM_WORLD), action("send", 40);
    DO(Recv, data, 5, MPI_DOUBLE, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), action("recv", 0);
    DO(Barrier, MPI_COMM_WORLD), collective("MPI_Barrier", 0, 0);
    DO(Rsend, data, 13, MPI_INT, 1, 5, MPI_COMM_WORLD), action("send", 52);
  } else {
    int got = 0;
    MPI_Request request;
    DO(Recv, data, 64, MPI_INT, 0, 1, MPI_COMM_WORLD, &status), action("recv", 40);
    HOLDS(status.MPI_SOURCE == 0 && status.MPI_TAG == 1 && data[9] == 9);
    DO(Get_count, &status, MPI_INT, &got);
    HOLDS(got == 10);
    DO(Recv, data, 64, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), action("recv", 44);
    DO(Recv, data, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        action("recv", 48);
    DO(Recv, data, 64, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), action("recv", 0);
    DO(Irecv, data, 64, MPI_INT, 0, 5, MPI_COMM_WORLD, &request), action("irecv", 256);
    DO(Barrier, MPI_COMM_WORLD), collective("MPI_Barrier", 0, 0);
    DO(Wait, &request, &status), action("irecv_done", 52);
    HOLDS(request == MPI_REQUEST_NULL && data[12] == 12 && status.MPI_TAG == 5);
  }
  void* detached;
  DO(Buffer_detach, &detached, &size);
}

static void derived(void) {
  int matrix[4][4], row[4] = {0, 0, 0, 0}, i, j;
  MPI_Datatype column;
  for (i = 0; i < 4; ++i)
    for (j = 0; j < 4; ++j) matrix[i][j] = 10 * i + j;
  DO(Type_vector, 4, 1, 4, MPI_INT, &column);
  DO(Type_commit, &column);
  DO(Sendrecv, &matrix[0][1], 1, column, other, 7, row, 4, MPI_INT, other, 7, MPI_COMM_WORLD,
     MPI_STATUS_IGNORE);
  action("send", 16), action("recv", 16);
  HOLDS(row[0] == 1 && row[3] == 31);
  DO(Sendrecv_replace, row, 3, MPI_INT, other, 8, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
     MPI_STATUS_IGNORE);
  action("send", 12), action("recv", 12);
  DO(Type_free, &column);
}

static void nonblocking(void) {
  int in[8][16], out[16], i, index = 0, flag = 0, done = 0, indices[8], round;
  MPI_Request requests[8];
  MPI_Status status, statuses[8];
  for (i = 0; i < 16; ++i) out[i] = i;
  /* to oneself, and handles that are used again at once */
  for (round = 0; round < 3; ++round) {
    DO(Irecv, in[0], 16, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]), action("irecv", 64);
    DO(Isend, out, 16, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]), action("isend", 64);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE), action("irecv_done", 64), action("isend_done", 64);
    HOLDS(in[0][15] == 15 && requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  }
  /* requests that share one handle */
  for (i = 0; i < 4; ++i)
    DO(Isend, out, i, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[i]), action("isend", 4 * i);
  for (i = 4; i < 6; ++i)
    DO(Irecv, in[i], i, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[i]), action("irecv", 4 * i);
  DO(Waitall, 6, requests, statuses);
  for (i = 0; i < 4; ++i) action("isend_done", 4 * i);
  for (i = 4; i < 6; ++i) action("irecv_done", 4 * i);
  /* wildcards, statuses ignored; completed in another order than begun, with a null request between */
  DO(Irecv, in[0], 16, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[3]), action("irecv", 64);
  DO(Irecv, in[1], 2, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[1]), action("irecv", 8);
  DO(Isend, out, 3, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[2]), action("isend", 12);
  DO(Issend, out, 2, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[4]), action("isend", 8);
  requests[0] = MPI_REQUEST_NULL;
  DO(Waitall, 5, requests, MPI_STATUSES_IGNORE);
  action("irecv_done", 12), action("irecv_done", 8), action("isend_done", 12), action("isend_done", 8);
  HOLDS(in[0][2] == 2 && in[1][1] == 1);
  /* one after another */
  for (i = 0; i < 4; ++i)
    DO(Irecv, in[i], 16, MPI_INT, other, 10 + i, MPI_COMM_WORLD, &requests[i]), action("irecv", 64);
  for (i = 0; i < 4; ++i)
    DO(Isend, out, i + 1, MPI_INT, other, 13 - i, MPI_COMM_WORLD, &requests[4 + i]),
        action("isend", 4 * (i + 1));
  for (i = 0; i < 3; ++i) {
    DO(Waitany, 4, requests, &index, i == 0 ? MPI_STATUS_IGNORE : &status),
        action("irecv_done", 4 * (4 - index));
    HOLDS(index >= 0 && index < 4 && requests[index] == MPI_REQUEST_NULL &&
          in[index][3 - index] == 3 - index);
  }
  do {
    DO(Testsome, 4, requests, &done, indices, i % 2 ? statuses : MPI_STATUSES_IGNORE);
    if (done == 0) action("test_failed", 0);
    for (i = 0; i < done; ++i) action("irecv_done", 4 * (4 - indices[i]));
  } while (done == 0);
  DO(Testsome, 4, requests, &done, indices, statuses);
  HOLDS(done == MPI_UNDEFINED);
  int left = 4;
  while (left > 0) {
    DO(Waitsome, 4, requests + 4, &done, indices, MPI_STATUSES_IGNORE);
    HOLDS(done > 0);
    for (i = 0; i < done; ++i) action("isend_done", 4 * (indices[i] + 1));
    left -= done;
  }
  /* tests */
  DO(Irecv, in[0], 16, MPI_INT, other, 20, MPI_COMM_WORLD, &requests[0]), action("irecv", 64);
  DO(Test, &requests[0], &flag, MPI_STATUS_IGNORE);
  HOLDS(!flag), action("test_failed", 0);
  DO(Testall, 1, requests, &flag, MPI_STATUSES_IGNORE);
  HOLDS(!flag), action("test_failed", 0);
  DO(Testany, 1, requests, &index, &flag, MPI_STATUS_IGNORE);
  HOLDS(!flag), action("test_failed", 0);
  DO(Barrier, MPI_COMM_WORLD), collective("MPI_Barrier", 0, 0);
  DO(Isend, out, 16, MPI_INT, other, 20, MPI_COMM_WORLD, &requests[1]), action("isend", 64);
  for (flag = 0; !flag;) {
    DO(Test, &requests[0], &flag, rank ? &status : MPI_STATUS_IGNORE);
    flag ? action("irecv_done", 64) : action("test_failed", 0);
  }
  for (flag = 0; !flag;) {
    DO(Testall, 2, requests, &flag, MPI_STATUSES_IGNORE);
    flag ? action("isend_done", 64) : action("test_failed", 0);
  }
  DO(Testany, 2, requests, &index, &flag, &status);
  HOLDS(flag && index == MPI_UNDEFINED);
  /* a receive that is taken back */
  int cancelled = 0;
  DO(Irecv, in[0], 16, MPI_INT, other, 99, MPI_COMM_WORLD, &requests[0]), action("irecv", 64);
  DO(Cancel, &requests[0]);
  DO(Wait, &requests[0], &status), action("cancelled", 0);
  DO(Test_cancelled, &status, &cancelled);
  HOLDS(cancelled);
  /* a send that nobody waits for */
  DO(Isend, out, 4, MPI_INT, other, 30, MPI_COMM_WORLD, &requests[0]), action("isend", 16),
      action("freed", 0);
  DO(Request_free, &requests[0]);
  DO(Recv, in[0], 4, MPI_INT, other, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE), action("recv", 16);
}

static void persistent(void) {
  int in = -1, out = rank + 5, round;
  MPI_Request requests[2];
  DO(Recv_init, &in, 1, MPI_INT, other, 40, MPI_COMM_WORLD, &requests[0]);
  DO(Send_init, &out, 1, MPI_INT, other, 40, MPI_COMM_WORLD, &requests[1]);
  for (round = 0; round < 3; ++round) {
    if (round < 2) {
      DO(Startall, 2, requests);
    } else {
      DO(Start, &requests[0]);
      DO(Start, &requests[1]);
    }
    action("irecv", 4), action("isend", 4);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE), action("irecv_done", 4), action("isend_done", 4);
    HOLDS(in == other + 5 && requests[0] != MPI_REQUEST_NULL);
  }
  DO(Request_free, &requests[0]);
  DO(Request_free, &requests[1]);
}

static void probes(void) {
  int data[8] = {0}, flag = 0, i;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  if (rank == 0) {
    for (i = 0; i < 4; ++i)
      DO(Send, data, i + 1, MPI_INT, 1, 50 + i, MPI_COMM_WORLD), action("send", 4 * (i + 1));
  } else {
    DO(Probe, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE), action("probe", 4);
    DO(Recv, data, 8, MPI_INT, 0, 50, MPI_COMM_WORLD, &status), action("recv", 4);
    for (flag = 0; !flag;) {
      DO(Iprobe, MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &flag, &status);
      flag ? action("probe", 8) : action("probe_failed", 0);
    }
    HOLDS(status.MPI_TAG == 51 && status.MPI_SOURCE == 0);
    DO(Recv, data, 8, MPI_INT, 0, 51, MPI_COMM_WORLD, &status), action("recv", 8);
    /* a matched probe is where its receive is posted */
    DO(Mprobe, 0, 52, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), action("probe", 12), action("irecv", 12);
    DO(Mrecv, data, 8, MPI_INT, &message, MPI_STATUS_IGNORE), action("irecv_done", 12);
    for (flag = 0; !flag;) {
      DO(Improbe, 0, 53, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
      flag ? action("probe", 16) : action("probe_failed", 0);
    }
    action("irecv", 16);
    DO(Imrecv, data, 8, MPI_INT, &message, &request);
    DO(Wait, &request, MPI_STATUS_IGNORE), action("irecv_done", 16);
    DO(Iprobe, 0, 54, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), action("probe_failed", 0);
    HOLDS(!flag);
  }
}

static void collectives(void) {
  double one[8], many[32];
  int counts_of[2] = {1, 2}, places[2] = {0, 1}, i, mine = counts_of[rank];
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  int byte_places[2] = {0, 8};
  MPI_Request request;
  for (i = 0; i < 8; ++i) one[i] = rank + 1;
  for (i = 0; i < 32; ++i) many[i] = rank + 1;
#define VOLUME(name, given, got) collective("MPI_" #name, given, got)
  DO(Bcast, one, 4, MPI_DOUBLE, 1, MPI_COMM_WORLD), VOLUME(Bcast, rank == 1 ? 32 : 0, rank == 1 ? 0 : 32);
  HOLDS(one[3] == 2);
  DO(Gather, one, 2, MPI_DOUBLE, many, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD),
      VOLUME(Gather, 16, rank == 0 ? 32 : 0);
  DO(Gather, rank ? (void*)one : MPI_IN_PLACE, 2, MPI_DOUBLE, many, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD),
      VOLUME(Gather, 16, rank == 0 ? 32 : 0);
  DO(Gatherv, one, mine, MPI_DOUBLE, many, counts_of, places, MPI_DOUBLE, 0, MPI_COMM_WORLD),
      VOLUME(Gatherv, 8 * mine, rank == 0 ? 24 : 0);
  DO(Scatter, many, 2, MPI_DOUBLE, one, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD),
      VOLUME(Scatter, rank == 0 ? 32 : 0, 16);
  DO(Scatter, many, 2, MPI_DOUBLE, rank ? (void*)one : MPI_IN_PLACE, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD),
      VOLUME(Scatter, rank == 0 ? 32 : 0, 16);
  DO(Scatterv, many, counts_of, places, MPI_DOUBLE, one, mine, MPI_DOUBLE, 0, MPI_COMM_WORLD),
      VOLUME(Scatterv, rank == 0 ? 24 : 0, 8 * mine);
  DO(Allgather, one, 2, MPI_DOUBLE, many, 2, MPI_DOUBLE, MPI_COMM_WORLD), VOLUME(Allgather, 16, 32);
  DO(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 2, MPI_DOUBLE, MPI_COMM_WORLD),
      VOLUME(Allgather, 16, 32);
  DO(Allgatherv, one, mine, MPI_DOUBLE, many, counts_of, places, MPI_DOUBLE, MPI_COMM_WORLD),
      VOLUME(Allgatherv, 8 * mine, 24);
  DO(Alltoall, many, 3, MPI_DOUBLE, many + 16, 3, MPI_DOUBLE, MPI_COMM_WORLD), VOLUME(Alltoall, 48, 48);
  DO(Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 3, MPI_DOUBLE, MPI_COMM_WORLD),
      VOLUME(Alltoall, 48, 48);
  int to_each[2] = {mine, mine};
  int spread[2] = {0, 4};
  DO(Alltoallv, many, counts_of, places, MPI_DOUBLE, many + 16, to_each, spread, MPI_DOUBLE, MPI_COMM_WORLD),
      VOLUME(Alltoallv, 24, 16 * mine);
  MPI_Datatype same[2] = {types[rank], types[rank]};
  int one_each[2] = {1, 1};
  DO(Alltoallw, many, one_each, byte_places, types, many + 16, one_each, byte_places, same, MPI_COMM_WORLD),
      VOLUME(Alltoallw, 12, rank ? 8 : 16);
  for (i = 0; i < 8; ++i) one[i] = rank + 1;
  DO(Reduce, one, many, 3, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD), VOLUME(Reduce, 24, rank == 1 ? 24 : 0);
  DO(Allreduce, one, many, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), VOLUME(Allreduce, 24, 24);
  HOLDS(many[2] == 3);
  DO(Allreduce, MPI_IN_PLACE, one, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), VOLUME(Allreduce, 8, 8);
  HOLDS(one[0] == 2);
  DO(Reduce_scatter, many, one, counts_of, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
      VOLUME(Reduce_scatter, 24, 8 * mine);
  DO(Reduce_scatter_block, many, one, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
      VOLUME(Reduce_scatter_block, 32, 16);
  DO(Scan, one, many, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), VOLUME(Scan, 16, 16);
  DO(Exscan, one, many, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), VOLUME(Exscan, 16, 16);
  DO(Ibarrier, MPI_COMM_WORLD, &request), VOLUME(Ibarrier, 0, 0);
  DO(Wait, &request, MPI_STATUS_IGNORE), action("icollective_done", 0);
  DO(Iallreduce, one, many, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request), VOLUME(Iallreduce, 16, 16);
  DO(Wait, &request, MPI_STATUS_IGNORE), action("icollective_done", 16);
  DO(Ibcast, one, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request), VOLUME(Ibcast, rank ? 0 : 16, rank ? 16 : 0);
  DO(Wait, &request, MPI_STATUS_IGNORE), action("icollective_done", rank ? 16 : 0);
}

static void communicators(void) {
  MPI_Comm copy, half, grid, both, merged;
  int value = rank, got = -1, dims[1] = {2}, periods[1] = {1}, round;
  for (round = 0; round < 2; ++round) { /* the handle is reused */
    DO(Comm_dup, MPI_COMM_WORLD, &copy), collective("MPI_Comm_dup", 0, 0), action("comm_made", 0);
    DO(Bcast, &value, 1, MPI_INT, 0, copy), collective("MPI_Bcast", rank ? 0 : 4, rank ? 4 : 0);
    DO(Comm_free, &copy), collective("MPI_Comm_free", 0, 0);
  }
  value = rank;
  DO(Comm_split, MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &half), collective("MPI_Comm_split", 0, 0);
  HOLDS((half == MPI_COMM_NULL) == (rank == 0));
  if (half != MPI_COMM_NULL) {
    action("comm_made", 0);
    DO(Comm_free, &half), collective("MPI_Comm_free", 0, 0);
  }
  DO(Cart_create, MPI_COMM_WORLD, 1, dims, periods, 0, &grid), collective("MPI_Cart_create", 0, 0),
      action("comm_made", 0);
  DO(Sendrecv, &value, 1, MPI_INT, other, 1, &got, 1, MPI_INT, other, 1, grid, MPI_STATUS_IGNORE),
      action("send", 4), action("recv", 4);
  HOLDS(got == other);
  DO(Comm_free, &grid), collective("MPI_Comm_free", 0, 0);
  DO(Intercomm_create, MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, 3, &both),
      collective("MPI_Intercomm_create", 0, 0), action("comm_made", 0);
  DO(Sendrecv, &value, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, both, MPI_STATUS_IGNORE), action("send", 4),
      action("recv", 4);
  HOLDS(got == other);
  DO(Intercomm_merge, both, rank, &merged), action("comm_made", 0);
  DO(Allreduce, &value, &got, 1, MPI_INT, MPI_SUM, merged), collective("MPI_Allreduce", 4, 4);
  HOLDS(got == 1);
  DO(Comm_free, &merged), collective("MPI_Comm_free", 0, 0);
  DO(Comm_free, &both), collective("MPI_Comm_free", 0, 0);
}

int main(int argc, char** argv) {
  char name[512];
  int initialized = 1;
  MPI_Initialized(&initialized); /* before MPI_Init: not recorded */
  if (initialized || argc < 2) return 3;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", argv[1], rank);
  counts = fopen(name, "w");
  if (counts == NULL) return 4;
  fprintf(counts, "call MPI_Init\ncall MPI_Comm_rank\n");
  DO(Comm_size, MPI_COMM_WORLD, &ranks);
  if (ranks != 2) return 5;
  other = 1 - rank;
  HOLDS(DO(Wtime) >= 0);
  blocking();
  derived();
  nonblocking();
  persistent();
  probes();
  collectives();
  communicators();
  fprintf(counts, "call MPI_Finalize\n");
  fclose(counts);
  printf("rank %d: %d failures\n", rank, failures);
  fflush(stdout);
  MPI_Finalize();
  MPI_Finalized(&initialized); /* after MPI_Finalize: not recorded */
  if (failures) return 1;
  if (rank == 0) return 0;
  sleep(1); /* mpirun ends the other ranks when one returns an error */
  return 7; /* an exit code of its own, to be seen through the recorder */
}

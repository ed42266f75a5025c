/* One-sided communication of every kind: windows of all flavours, transfers with and without requests, all
   ways of synchronising, targets that are oneself or nobody, derived datatypes, no bytes at all. */
#include "suite.h"

enum { length = 64 };
static int right, left, data[length], into[length];

static void transfer(const char* kind, int target, long long out, long long in) {
  fprintf(suite_counts, "onesided %s %d %lld %lld\n", kind, target, out, in);
}
static void synchronised(const char* what) {
  fprintf(suite_counts, "window %s\n", what);
}

static void fences(void) {
  int memory[length], i, two = 2;
  MPI_Win window;
  MPI_Datatype column;
  for (i = 0; i < length; ++i) memory[i] = -1;
  DO(Win_create, memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window),
      synchronised("created");
  DO(Win_set_name, window, "halo");
  DO(Type_vector, 4, 1, 2, MPI_INT, &column);
  DO(Type_commit, &column);
  DO(Win_fence, MPI_MODE_NOPRECEDE, window), synchronised("fence");
  DO(Put, data, 4, MPI_INT, right, 0, 4, MPI_INT, window), transfer("put", right, 16, 0);
  DO(Put, data + 8, 1, column, right, 8, 4, MPI_INT, window), transfer("put", right, 16, 0);
  DO(Put, data, 1, MPI_INT, rank, 20, 1, MPI_INT, window), transfer("put", rank, 4, 0);
  DO(Put, data, 7, MPI_INT, MPI_PROC_NULL, 0, 7, MPI_INT, window);
  DO(Put, data, 0, MPI_INT, right, 0, 0, MPI_INT, window), transfer("put", right, 0, 0);
  DO(Accumulate, &two, 1, MPI_INT, left, 30, 1, MPI_INT, MPI_SUM, window), transfer("accumulate", left, 4, 0);
  DO(Win_fence, 0, window), synchronised("fence");
  HOLDS(memory[0] == 0 && memory[3] == 3 && memory[8] == 8 && memory[11] == 14 && memory[20] == 0 &&
        memory[30] == 1);
  DO(Get, into, 6, MPI_INT, left, 0, 6, MPI_INT, window), transfer("get", left, 0, 24);
  DO(Win_fence, MPI_MODE_NOSUCCEED, window), synchronised("fence");
  HOLDS(into[0] == 0 && into[3] == 3 && into[5] == -1);
  DO(Type_free, &column);
  DO(Win_free, &window), synchronised("freed");
}

/* locks: one target, all; flushes of both kinds; every atomic; requests completed in several ways */
static void locks(void) {
  int *memory, i, one = 1, got = 7, zero = 0, flag = 0;
  MPI_Win window;
  MPI_Request requests[4];
  DO(Win_allocate, length * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  synchronised("created");
  DO(Win_lock, MPI_LOCK_EXCLUSIVE, rank, 0, window), synchronised("lock");
  for (i = 0; i < length; ++i) memory[i] = 0;
  DO(Win_unlock, rank, window), synchronised("unlock");
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  DO(Win_lock, MPI_LOCK_SHARED, right, 0, window), synchronised("lock");
  DO(Put, data + 5, 2, MPI_INT, right, 5, 2, MPI_INT, window), transfer("put", right, 8, 0);
  DO(Win_flush_local, right, window), synchronised("memory");
  DO(Win_flush, right, window), synchronised("memory");
  DO(Fetch_and_op, &one, &got, MPI_INT, right, 0, MPI_SUM, window), transfer("fetch", right, 4, 4);
  DO(Win_flush, right, window), synchronised("memory");
  HOLDS(got == 0);
  DO(Fetch_and_op, NULL, &got, MPI_INT, right, 0, MPI_NO_OP, window), transfer("fetch", right, 0, 4);
  DO(Win_flush, right, window), synchronised("memory");
  HOLDS(got == 1);
  DO(Compare_and_swap, &one, &zero, &got, MPI_INT, right, 1, window),
      transfer("compare_and_swap", right, 4, 4);
  DO(Get_accumulate, data, 3, MPI_INT, into, 3, MPI_INT, right, 5, 3, MPI_INT, MPI_SUM, window);
  transfer("fetch", right, 12, 12);
  DO(Win_unlock, right, window), synchronised("unlock");
  HOLDS(got == 0 && into[0] == 5 && into[1] == 6 && into[2] == 0);
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  DO(Win_lock_all, 0, window), synchronised("lock");
  DO(Rput, data + 1, 3, MPI_INT, right, 40, 3, MPI_INT, window, &requests[0]), transfer("put", right, 12, 0);
  DO(Raccumulate, data + 1, 1, MPI_INT, left, 50, 1, MPI_INT, MPI_SUM, window, &requests[1]);
  transfer("accumulate", left, 4, 0);
  DO(Rput, data, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window, &requests[2]);
  DO(Waitall, 3, requests, MPI_STATUSES_IGNORE);
  DO(Win_flush_all, window), synchronised("memory");
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
  DO(Rget, into, 3, MPI_INT, right, 40, 3, MPI_INT, window, &requests[0]), transfer("get", right, 0, 12);
  DO(Rget_accumulate, data + 1, 1, MPI_INT, &got, 1, MPI_INT, left, 51, 1, MPI_INT, MPI_REPLACE, window,
     &requests[1]);
  transfer("fetch", left, 4, 4);
  DO(Wait, &requests[0], MPI_STATUS_IGNORE);
  do DO(Test, &requests[1], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  HOLDS(into[0] == 1 && into[2] == 3 && got == 0);
  DO(Win_flush_local_all, window), synchronised("memory");
  DO(Win_sync, window), synchronised("memory");
  DO(Win_unlock_all, window), synchronised("unlock");
  DO(Win_free, &window), synchronised("freed");
}

/* epochs among neighbours */
static void epochs(void) {
  int memory[length], flag, i, neighbours[2];
  MPI_Group world, before, after;
  MPI_Win window;
  memset(memory, 0, sizeof memory);
  DO(Win_create, memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window),
      synchronised("created");
  DO(Comm_group, MPI_COMM_WORLD, &world);
  neighbours[0] = left;
  DO(Group_incl, world, 1, neighbours, &before);
  neighbours[0] = right;
  DO(Group_incl, world, 1, neighbours, &after);
  for (i = 0; i < 2; ++i) {
    DO(Win_post, before, 0, window), synchronised("epoch_begin");
    DO(Win_start, after, 0, window), synchronised("epoch_begin");
    DO(Put, data, 10 + i, MPI_INT, right, 0, 10 + i, MPI_INT, window), transfer("put", right, 40 + 4 * i, 0);
    DO(Win_complete, window), synchronised("epoch_end");
    if (i == 0) {
      DO(Win_wait, window), synchronised("epoch_end");
    } else {
      do DO(Win_test, window, &flag);
      while (!flag);
      synchronised("epoch_end");
    }
    HOLDS(memory[9 + i] == 9 + i);
  }
  DO(Group_free, &world);
  DO(Group_free, &before);
  DO(Group_free, &after);
  DO(Win_free, &window), synchronised("freed");
}

static void other_windows(void) {
  int *memory, attached[4] = {0}, *cells[4], i;
  MPI_Aint at, there;
  MPI_Comm shared;
  MPI_Win window, windows[3];
  DO(Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
  collective("communicator", 0, 0);
  DO(Win_allocate_shared, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, shared, &memory, &window);
  synchronised("created");
  DO(Win_fence, 0, window), synchronised("fence");
  DO(Put, data + 3, 1, MPI_INT, right, 1, 1, MPI_INT, window), transfer("put", right, 4, 0);
  DO(Win_fence, 0, window), synchronised("fence");
  HOLDS(memory[1] == 3);
  DO(Win_free, &window), synchronised("freed");
  DO(Comm_free, &shared), collective("communicator", 0, 0);
  DO(Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &window), synchronised("created");
  DO(Win_attach, window, attached, sizeof attached);
  DO(Get_address, attached, &at);
  DO(Sendrecv, &at, 1, MPI_AINT, left, 3, &there, 1, MPI_AINT, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sent(left, 3, sizeof at), received(right, 3, sizeof at);
  DO(Win_fence, 0, window), synchronised("fence");
  DO(Put, data + 9, 1, MPI_INT, right, there, 1, MPI_INT, window), transfer("put", right, 4, 0);
  DO(Win_fence, 0, window), synchronised("fence");
  HOLDS(attached[0] == 9);
  DO(Win_detach, window, attached);
  DO(Win_free, &window), synchronised("freed");
  /* several at once, freed in another order; handles are used again */
  for (i = 0; i < 4; ++i) cells[i] = malloc(256), *cells[i] = i;
  for (i = 0; i < 3; ++i)
    DO(Win_create, cells[i], sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]),
        synchronised("created");
  DO(Win_free, &windows[1]), synchronised("freed");
  DO(Win_create, cells[3], sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[1]),
      synchronised("created");
  DO(Win_lock, MPI_LOCK_EXCLUSIVE, left, 0, windows[1]), synchronised("lock");
  DO(Get, into, 1, MPI_INT, left, 0, 1, MPI_INT, windows[1]), transfer("get", left, 0, 4);
  DO(Win_unlock, left, windows[1]), synchronised("unlock");
  HOLDS(into[0] == 3);
  for (i = 0; i < 3; ++i) DO(Win_free, &windows[i]), synchronised("freed");
}

int main(int argc, char** argv) {
  int i;
  for (i = 0; i < length; ++i) data[i] = i;
  suite_begin(&argc, &argv);
  right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  fences();
  locks();
  epochs();
  other_windows();
  return suite_end(7);
}

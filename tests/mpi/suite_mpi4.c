/* What MPI 4 adds, as far as the MPI has it: persistent collectives (Open MPI 4 has them as MPIX_), large
   counts, a send and a receive under one request, partitioned messages, communicators made of groups. */
#include "suite.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name, ...) (fprintf(suite_counts, "call MPIX_" #name "\n"), MPIX_##name(__VA_ARGS__))
#else
#define INIT(name, ...) DO(name, __VA_ARGS__)
#endif

#define LARGEST 8

static int counts[LARGEST], places[LARGEST], places_w[LARGEST], from_each[LARGEST], at[LARGEST],
    at_w[LARGEST];
static MPI_Datatype same[LARGEST];
static double mine[256], all[256];

/* A persistent operation, started several times; what each start does is counted by `counted`. */
static int starts = 3;
#define STARTED(counted, name, ...)                    \
  do {                                                 \
    MPI_Request request_;                              \
    int round_;                                        \
    INIT(name, __VA_ARGS__, MPI_INFO_NULL, &request_); \
    for (round_ = 0; round_ < starts; ++round_) {      \
      DO(Start, &request_);                            \
      DO(Wait, &request_, MPI_STATUS_IGNORE), counted; \
    }                                                  \
    DO(Request_free, &request_);                       \
  } while (0)

static void to_each(void) {
  int i;
  for (i = 0; i < ranks; ++i) volume(i, 8 * counts[i]);
}
static void from_all(int root, int gathers, int scatters) {
  if (gathers) carried(rank, root, 8 * (rank + 1));
  if (scatters) carried(root, rank, 8 * (rank + 1));
}
static void to_all(void) {
  int i;
  for (i = 0; i < ranks; ++i) carried(rank, i, 8 * (rank + 1));
}

static void persistent_collectives(void) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int is_root = rank == 1;
  int i, total = 0;
  for (i = 0; i < ranks; ++i) {
    counts[i] = i + 1, places[i] = total, places_w[i] = 8 * total, same[i] = MPI_DOUBLE;
    from_each[i] = rank + 1, at[i] = i * (rank + 1), at_w[i] = 8 * at[i];
    total += counts[i];
  }
  const int part = 8 * (rank + 1);
  STARTED(collective("Barrier", 0, 0), Barrier_init, comm);
  STARTED(collective("Bcast", is_root ? 24 : 0, is_root ? 0 : 24), Bcast_init, mine, 3, MPI_DOUBLE, 1, comm);
  STARTED(collective("Gather", 16, is_root ? 16 * ranks : 0), Gather_init, mine, 2, MPI_DOUBLE, all, 2,
          MPI_DOUBLE, 1, comm);
  STARTED((collective("Gatherv", part, is_root ? 8 * total : 0), from_all(1, 1, 0)), Gatherv_init, mine,
          rank + 1, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 1, comm);
#ifndef OPEN_MPI
  starts = 1; /* MPICH 4.0's fails when it is started again, without the recorder too */
#endif
  STARTED(collective("Scatter", is_root ? 16 * ranks : 0, 16), Scatter_init, all, 2, MPI_DOUBLE, mine, 2,
          MPI_DOUBLE, 1, comm);
  starts = 3;
  STARTED((collective("Scatterv", is_root ? 8 * total : 0, part), from_all(1, 0, 1)), Scatterv_init, all,
          counts, places, MPI_DOUBLE, mine, rank + 1, MPI_DOUBLE, 1, comm);
  STARTED(collective("Allgather", 16, 16 * ranks), Allgather_init, mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE,
          comm);
  STARTED((collective("Allgatherv", part, 8 * total), to_all()), Allgatherv_init, mine, rank + 1, MPI_DOUBLE,
          all, counts, places, MPI_DOUBLE, comm);
  STARTED(collective("Alltoall", 16 * ranks, 16 * ranks), Alltoall_init, mine, 2, MPI_DOUBLE, all, 2,
          MPI_DOUBLE, comm);
  STARTED((collective("Alltoallv", 8 * total, part * ranks), to_each()), Alltoallv_init, mine, counts, places,
          MPI_DOUBLE, all, from_each, at, MPI_DOUBLE, comm);
  STARTED((collective("Alltoallw", 8 * total, part * ranks), to_each()), Alltoallw_init, mine, counts,
          places_w, same, all, from_each, at_w, same, comm);
  STARTED(collective("Reduce", 24, is_root ? 24 : 0), Reduce_init, mine, all, 3, MPI_DOUBLE, MPI_SUM, 1,
          comm);
  for (i = 0; i < 256; ++i) mine[i] = rank + 1;
  STARTED(collective("Allreduce", 24, 24), Allreduce_init, mine, all, 3, MPI_DOUBLE, MPI_SUM, comm);
  HOLDS(all[2] == ranks * (ranks + 1) / 2);
  STARTED(collective("Reduce_scatter", 8 * total, part), Reduce_scatter_init, mine, all, counts, MPI_DOUBLE,
          MPI_SUM, comm);
  STARTED(collective("Reduce_scatter_block", 16 * ranks, 16), Reduce_scatter_block_init, mine, all, 2,
          MPI_DOUBLE, MPI_SUM, comm);
  STARTED(collective("Scan", 24, 24), Scan_init, mine, all, 3, MPI_DOUBLE, MPI_SUM, comm);
  STARTED(collective("Exscan", 24, 24), Exscan_init, mine, all, 3, MPI_DOUBLE, MPI_SUM, comm);
  /* two that are started together, beside a persistent message, and completed together */
  MPI_Request requests[4];
  int token = rank, before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks, got[10] = {-1};
  INIT(Allreduce_init, mine, all, 3, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
  INIT(Bcast_init, mine + 100, 2, MPI_DOUBLE, 0, comm, MPI_INFO_NULL, &requests[1]);
  DO(Send_init, &token, 1, MPI_INT, after, 11, comm, &requests[2]);
  DO(Recv_init, got, 10, MPI_INT, before, 11, comm, &requests[3]);
  for (i = 0; i < 2; ++i) {
    DO(Startall, 4, requests), sent(after, 11, 4);
    DO(Waitall, 4, requests, MPI_STATUSES_IGNORE), received(before, 11, 4);
    collective("Allreduce", 24, 24), collective("Bcast", rank == 0 ? 16 : 0, rank == 0 ? 0 : 16);
    HOLDS(got[0] == before);
  }
  for (i = 0; i < 4; ++i) DO(Request_free, &requests[i]);
  /* one by itself, whose room is larger than the message and whose status nobody wants */
  DO(Irecv, got, 10, MPI_INT, before, 12, comm, &requests[0]);
  DO(Send, &token, 1, MPI_INT, after, 12, comm), sent(after, 12, 4);
  DO(Waitall, 1, requests, MPI_STATUSES_IGNORE), received(before, 12, 4);
}

static int near[2];

/* One message to and from each neighbour: `bytes`, or 8 (r + 1) from rank r. */
static void each(int bytes) {
  int i;
  for (i = 0; i < 2; ++i) {
    if (near[i] < 0) continue;
    sent(near[i], 0, bytes ? bytes : 8 * (rank + 1)), received(near[i], 0, bytes ? bytes : 8 * (near[i] + 1));
  }
}

static void persistent_neighbours(void) {
  int periods = 0, i;
  near[0] = rank > 0 ? rank - 1 : -1, near[1] = rank < ranks - 1 ? rank + 1 : -1;
  MPI_Comm line;
  DO(Cart_create, MPI_COMM_WORLD, 1, &ranks, &periods, 0, &line), collective("communicator", 0, 0);
  int take[2], give[2] = {rank + 1, rank + 1}, room[2] = {0, 16};
  for (i = 0; i < 2; ++i) take[i] = near[i] + 1;
  STARTED(each(16), Neighbor_allgather_init, mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, line);
  STARTED(each(8), Neighbor_alltoall_init, mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, line);
  STARTED(each(0), Neighbor_allgatherv_init, mine, rank + 1, MPI_DOUBLE, all, take, room, MPI_DOUBLE, line);
  STARTED(each(0), Neighbor_alltoallv_init, mine, give, room, MPI_DOUBLE, all, take, room, MPI_DOUBLE, line);
  DO(Comm_free, &line), collective("communicator", 0, 0);
}

#if MPI_VERSION >= 4
static void two_in_one(void) {
  const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
  int i, got[10], flag = 0;
  MPI_Request requests[3];
  MPI_Status status;
#define BOTH sent(after, 20, 4), received(before, 20, 4)
  DO(Isendrecv, &rank, 1, MPI_INT, after, 20, got, 10, MPI_INT, before, 20, MPI_COMM_WORLD, requests);
  DO(Wait, requests, MPI_STATUS_IGNORE), BOTH;
  HOLDS(got[0] == before);
  DO(Isendrecv, &rank, 1, MPI_INT, after, 20, got, 10, MPI_INT, before, 20, MPI_COMM_WORLD, requests);
  DO(Waitall, 1, requests, MPI_STATUSES_IGNORE), BOTH;
  got[0] = rank;
  DO(Isendrecv_replace, got, 1, MPI_INT, after, 20, before, 20, MPI_COMM_WORLD, requests);
  while (!flag) DO(Test, requests, &flag, &status);
  BOTH;
  HOLDS(got[0] == before);
  for (i = 0; i < 3; ++i)
    DO(Isendrecv, &rank, 1, MPI_INT, after, 20, got + i, 1, MPI_INT, before, 20, MPI_COMM_WORLD,
       &requests[i]);
  DO(Waitall, 3, requests, MPI_STATUSES_IGNORE), BOTH, BOTH, BOTH;
}

static void large_counts(void) {
  const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks, is_root = rank == 0;
  MPI_Request requests[2];
  MPI_Count wide[LARGEST], wide_from[LARGEST], total = 0;
  MPI_Aint wide_at[LARGEST], wide_from_at[LARGEST];
  int i;
  for (i = 0; i < ranks; ++i) wide[i] = i + 1, wide_at[i] = total, total += wide[i];
  for (i = 0; i < ranks; ++i) wide_from[i] = rank + 1, wide_from_at[i] = i * (rank + 1);
  const int part = 8 * (rank + 1);
  DO(Irecv_c, all, 10, MPI_DOUBLE, before, 21, MPI_COMM_WORLD, &requests[0]);
  DO(Isend_c, mine, 3, MPI_DOUBLE, after, 21, MPI_COMM_WORLD, &requests[1]), sent(after, 21, 24);
  DO(Waitall, 2, requests, MPI_STATUSES_IGNORE), received(before, 21, 24);
  DO(Sendrecv_c, mine, 2, MPI_DOUBLE, after, 22, all, 4, MPI_DOUBLE, before, 22, MPI_COMM_WORLD,
     MPI_STATUS_IGNORE);
  sent(after, 22, 16), received(before, 22, 16);
  if (rank == 0) DO(Send_c, mine, 4, MPI_DOUBLE, 1, 23, MPI_COMM_WORLD), sent(1, 23, 32);
  if (rank == 1)
    DO(Recv_c, all, 9, MPI_DOUBLE, MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        received(0, 23, 32);
  DO(Bcast_c, mine, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD),
      collective("Bcast", is_root ? 24 : 0, is_root ? 0 : 24);
  DO(Allreduce_c, mine, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), collective("Allreduce", 24, 24);
  DO(Gatherv_c, mine, rank + 1, MPI_DOUBLE, all, wide, wide_at, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  collective("Gatherv", part, is_root ? 8 * total : 0), from_all(0, 1, 0);
  DO(Ialltoallv_c, mine, wide, wide_at, MPI_DOUBLE, all, wide_from, wide_from_at, MPI_DOUBLE, MPI_COMM_WORLD,
     requests);
  DO(Wait, requests, MPI_STATUS_IGNORE), collective("Alltoallv", 8 * total, part * ranks);
  for (i = 0; i < ranks; ++i) volume(i, 8 * wide[i]);
  STARTED(collective("Allgather", 16, 16 * ranks), Allgather_init_c, mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE,
          MPI_COMM_WORLD);
}

/* Four parts of two doubles; the receiver divides the same message into two. */
static void partitioned(void) {
  int round, flag = 0, list[2] = {3, 0};
  MPI_Request request;
  if (rank > 1) return;
  if (rank == 0)
    DO(Psend_init, mine, 4, 2, MPI_DOUBLE, 1, 24, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    DO(Precv_init, all, 2, 4, MPI_DOUBLE, 0, 24, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (round = 0; round < 2; ++round) {
    DO(Start, &request);
    if (rank == 0) {
      DO(Pready_range, 1, 2, request);
      DO(Pready_list, 2, list, request);
      DO(Wait, &request, MPI_STATUS_IGNORE), sent(1, 24, 64);
    } else {
      for (flag = 0; !flag;) DO(Parrived, request, 1, &flag);
      DO(Wait, &request, MPI_STATUS_IGNORE), received(0, 24, 64);
    }
  }
  DO(Request_free, &request);
}

static void of_groups(void) {
  MPI_Group world, half, other;
  MPI_Comm comm, inter;
  int range[1][3] = {{rank % 2, ranks - 1, 2}}, other_range[1][3] = {{1 - rank % 2, ranks - 1, 2}}, sum = 0;
  DO(Comm_group, MPI_COMM_WORLD, &world);
  DO(Group_range_incl, world, 1, range, &half);
  DO(Group_range_incl, world, 1, other_range, &other);
  DO(Comm_create_from_group, half, "half", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  DO(Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, comm), collective("Allreduce", 4, 4);
  DO(Intercomm_create_from_groups, half, 0, other, 0, "both", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
  DO(Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, inter), collective("Allreduce", 4, 4);
  if (rank < 2) {
    DO(Sendrecv, &rank, 1, MPI_INT, 0, 25, &sum, 1, MPI_INT, 0, 25, inter, MPI_STATUS_IGNORE);
    sent(1 - rank, 25, 4), received(1 - rank, 25, 4);
  }
  DO(Comm_free, &inter), collective("communicator", 0, 0);
  DO(Comm_free, &comm), collective("communicator", 0, 0);
  DO(Group_free, &world);
  DO(Group_free, &half);
  DO(Group_free, &other);
}
#endif

int main(int argc, char** argv) {
  suite_begin(&argc, &argv);
  persistent_collectives();
  persistent_neighbours();
#if MPI_VERSION >= 4
  two_in_one();
  large_counts();
  partitioned();
  of_groups();
#endif
  return suite_end(0);
}

/* Every collective, blocking and not, in place and not, with different sizes per rank, on a communicator of
   all, of some and between two groups; neighbourhood collectives, whose messages are told one by one. */
#include "suite.h"

#define LARGEST 8

static int counts[LARGEST], places[LARGEST], places_w[LARGEST];
static double mine[256], all[256];
static MPI_Datatype same[LARGEST];

static void wait_for(MPI_Request* request) {
  DO(Wait, request, MPI_STATUS_IGNORE);
  HOLDS(*request == MPI_REQUEST_NULL);
}

/* The blocking call and the non-blocking one, with the same arguments and the same volume. */
#define BOTH(name, iname, given, got, ...)                                                 \
  do {                                                                                     \
    MPI_Request request_;                                                                  \
    DO(name, __VA_ARGS__), collective(#name, given, got);                                  \
    DO(iname, __VA_ARGS__, &request_), wait_for(&request_), collective(#name, given, got); \
  } while (0)

/* What each of the two calls of BOTH sends to each rank: one rank alone sends as much to all. */
#define TO_EACH(counts)                                                                         \
  for (i = 0; i < 2 * size; ++i) {                                                              \
    if (size == 1) carried(rank, rank, 8 * (counts)[0]);                                        \
    if (size > 1 && (counts)[i % size] > 0) volume(on_world[i % size], 8 * (counts)[i % size]); \
  }

static void on_group(MPI_Comm comm) {
  int me, size, i, root, on_world[LARGEST];
  MPI_Group group, world;
  long long before = 0, total = 0;
  (void)before;
  DO(Comm_rank, comm, &me);
  DO(Comm_size, comm, &size);
  for (i = 0; i < size; ++i) counts[i] = i;
  DO(Comm_group, comm, &group);
  DO(Comm_group, MPI_COMM_WORLD, &world);
  DO(Group_translate_ranks, group, size, counts, world, on_world);
  DO(Group_free, &group);
  DO(Group_free, &world);
  for (i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = (int)total;
    places_w[i] = (int)total * 8;
    same[i] = MPI_DOUBLE;
    total += counts[i];
  }
  const long long part = 8 * counts[me];
  MPI_Request barrier;
  DO(Barrier, comm), collective("Barrier", 0, 0);
  DO(Ibarrier, comm, &barrier), wait_for(&barrier), collective("Barrier", 0, 0);
  for (root = 0; root<size; root += size> 1 ? size - 1 : 1) {
    const int is_root = me == root;
    BOTH(Bcast, Ibcast, is_root ? 24 : 0, is_root ? 0 : 24, mine, 3, MPI_DOUBLE, root, comm);
    BOTH(Bcast, Ibcast, 0, 0, mine, 0, MPI_DOUBLE, root, comm);
    BOTH(Gather, Igather, 16, is_root ? 16 * size : 0, mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, root, comm);
    BOTH(Gather, Igather, 16, is_root ? 16 * size : 0, is_root ? MPI_IN_PLACE : (void*)mine, 2, MPI_DOUBLE,
         all, 2, MPI_DOUBLE, root, comm);
    BOTH(Gatherv, Igatherv, part, is_root ? 8 * total : 0, mine, counts[me], MPI_DOUBLE, all, counts, places,
         MPI_DOUBLE, root, comm);
    BOTH(Scatter, Iscatter, is_root ? 16 * size : 0, 16, all, 2, MPI_DOUBLE, mine, 2, MPI_DOUBLE, root, comm);
    BOTH(Scatter, Iscatter, is_root ? 16 * size : 0, 16, all, 2, MPI_DOUBLE,
         is_root ? MPI_IN_PLACE : (void*)mine, 2, MPI_DOUBLE, root, comm);
    BOTH(Scatterv, Iscatterv, is_root ? 8 * total : 0, part, all, counts, places, MPI_DOUBLE, mine,
         counts[me], MPI_DOUBLE, root, comm);
    for (i = 0; i < 2; ++i) carried(rank, on_world[root], part), carried(on_world[root], rank, part);
    BOTH(Reduce, Ireduce, 24, is_root ? 24 : 0, mine, all, 3, MPI_DOUBLE, MPI_SUM, root, comm);
    BOTH(Reduce, Ireduce, 24, is_root ? 24 : 0, is_root ? MPI_IN_PLACE : (void*)mine, all, 3, MPI_DOUBLE,
         MPI_SUM, root, comm);
  }
  BOTH(Allgather, Iallgather, 16, 16 * size, mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, comm);
  BOTH(Allgather, Iallgather, 16, 16 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_DOUBLE, comm);
  BOTH(Allgatherv, Iallgatherv, part, 8 * total, mine, counts[me], MPI_DOUBLE, all, counts, places,
       MPI_DOUBLE, comm);
  BOTH(Allgatherv, Iallgatherv, part, 8 * total, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places,
       MPI_DOUBLE, comm);
  for (i = 0; i < 4 * size; ++i) carried(rank, on_world[i % size], part);
  BOTH(Alltoall, Ialltoall, 16 * size, 16 * size, mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, comm);
  BOTH(Alltoall, Ialltoall, 16 * size, 16 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_DOUBLE,
       comm);
  int from_each[LARGEST], at[LARGEST], at_w[LARGEST];
  for (i = 0; i < size; ++i) from_each[i] = counts[me], at[i] = i * counts[me], at_w[i] = 8 * at[i];
  TO_EACH(counts);
  BOTH(Alltoallv, Ialltoallv, 8 * total, part * size, mine, counts, places, MPI_DOUBLE, all, from_each, at,
       MPI_DOUBLE, comm);
  TO_EACH(counts);
  BOTH(Alltoallw, Ialltoallw, 8 * total, part * size, mine, counts, places_w, same, all, from_each, at_w,
       same, comm);
  /* in place, what two ranks give one another is as much; then only to the next rank, and nothing to anyone
   */
  long long symmetric = 0;
  for (i = 0; i < size; ++i) {
    from_each[i] = me + i + 1, at[i] = (int)symmetric, at_w[i] = 8 * at[i];
    symmetric += from_each[i];
  }
  TO_EACH(from_each);
  BOTH(Alltoallv, Ialltoallv, 8 * symmetric, 8 * symmetric, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, all,
       from_each, at, MPI_DOUBLE, comm);
  TO_EACH(from_each);
  BOTH(Alltoallw, Ialltoallw, 8 * symmetric, 8 * symmetric, MPI_IN_PLACE, NULL, NULL, NULL, all, from_each,
       at_w, same, comm);
  int only_next[LARGEST] = {0}, only_last[LARGEST] = {0}, nothing[LARGEST] = {0};
  only_next[(me + 1) % size] = only_last[(me + size - 1) % size] = 3;
  TO_EACH(only_next);
  BOTH(Alltoallv, Ialltoallv, 24, 24, mine, only_next, nothing, MPI_DOUBLE, all, only_last, nothing,
       MPI_DOUBLE, comm);
  BOTH(Alltoallv, Ialltoallv, 0, 0, mine, nothing, nothing, MPI_DOUBLE, all, nothing, nothing, MPI_DOUBLE,
       comm);
  for (i = 0; i < 256; ++i) mine[i] = me + 1, all[i] = 0;
  BOTH(Allreduce, Iallreduce, 24, 24, mine, all, 3, MPI_DOUBLE, MPI_SUM, comm);
  HOLDS(all[2] == size * (size + 1) / 2);
  BOTH(Allreduce, Iallreduce, 0, 0, mine, all, 0, MPI_DOUBLE, MPI_SUM, comm);
  for (i = 0; i < 256; ++i) all[i] = me;
  BOTH(Allreduce, Iallreduce, 16, 16, MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MAX, comm);
  HOLDS(all[1] == size - 1);
  BOTH(Reduce_scatter, Ireduce_scatter, 8 * total, part, mine, all, counts, MPI_DOUBLE, MPI_SUM, comm);
  BOTH(Reduce_scatter_block, Ireduce_scatter_block, 16 * size, 16, mine, all, 2, MPI_DOUBLE, MPI_SUM, comm);
  BOTH(Scan, Iscan, 24, 24, mine, all, 3, MPI_DOUBLE, MPI_SUM, comm);
  HOLDS(all[0] == (me + 1) * (me + 2) / 2);
  BOTH(Exscan, Iexscan, 24, 24, mine, all, 3, MPI_DOUBLE, MPI_SUM, comm);
}

/* Between the even and the odd ranks. */
static void between_groups(void) {
  MPI_Comm half, both, merged;
  int here, there, size, value = rank, sum = 0;
  DO(Comm_split, MPI_COMM_WORLD, rank % 2, rank, &half), collective("communicator", 0, 0);
  DO(Intercomm_create, half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 5, &both), collective("communicator", 0, 0);
  DO(Comm_size, both, &here);
  DO(Comm_remote_size, both, &there);
  DO(Comm_size, half, &size);
  HOLDS(here == size && here + there == ranks);
  DO(Allreduce, &value, &sum, 1, MPI_INT, MPI_SUM, both), collective("Allreduce", 4, 4);
  int expected = 0, i;
  for (i = 1 - rank % 2; i < ranks; i += 2) expected += i;
  HOLDS(sum == expected);
  const int root = rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  DO(Bcast, &value, 1, MPI_INT, root, both), collective("Bcast", root == MPI_ROOT ? 4 : 0, rank % 2 ? 4 : 0);
  if (rank < 2) { /* the leaders, by their ranks in the other group */
    DO(Sendrecv, &rank, 1, MPI_INT, 0, 8, &value, 1, MPI_INT, 0, 8, both, MPI_STATUS_IGNORE);
    sent(1 - rank, 8, 4), received(1 - rank, 8, 4);
    HOLDS(value == 1 - rank);
  }
  DO(Intercomm_merge, both, rank % 2, &merged);
  DO(Barrier, merged), collective("Barrier", 0, 0);
  DO(Comm_free, &merged), collective("communicator", 0, 0);
  DO(Comm_free, &both), collective("communicator", 0, 0);
  DO(Comm_free, &half), collective("communicator", 0, 0);
}

/* The messages of a neighbourhood collective have tag 0; MPI_PROC_NULL neighbours have none. */
static void expect(int in_count, const int* in, const int* in_bytes, int out_count, const int* out,
                   const int* out_bytes) {
  int i;
  for (i = 0; i < out_count; ++i)
    if (out[i] >= 0) sent(out[i], 0, out_bytes[i]);
  for (i = 0; i < in_count; ++i)
    if (in[i] >= 0) received(in[i], 0, in_bytes[i]);
}

static void neighbours(MPI_Comm comm, int in_count, const int* in, int out_count, const int* out) {
  int i, at_out[LARGEST], at_in[LARGEST], give[LARGEST], take[LARGEST], bytes_in[LARGEST], bytes_out[LARGEST];
  MPI_Aint wide_out[LARGEST], wide_in[LARGEST];
  MPI_Request request;
  for (i = 0; i < LARGEST; ++i) same[i] = MPI_DOUBLE, at_out[i] = at_in[i] = 16 * i;
  for (i = 0; i < LARGEST; ++i) wide_out[i] = wide_in[i] = 128 * i;
#define EACH(bytes) \
  for (i = 0; i < LARGEST; ++i) bytes_in[i] = bytes_out[i] = (bytes)
#define EXPECT expect(in_count, in, bytes_in, out_count, out, bytes_out)
#define NEIGHBOURS(name, iname, ...) \
  DO(name, __VA_ARGS__), EXPECT;     \
  DO(iname, __VA_ARGS__, &request), wait_for(&request), EXPECT
  EACH(24);
  NEIGHBOURS(Neighbor_allgather, Ineighbor_allgather, mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, comm);
  EACH(16);
  NEIGHBOURS(Neighbor_alltoall, Ineighbor_alltoall, mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, comm);
  /* sender and receiver agree: rank r gives r + 1 elements to everyone */
  for (i = 0; i < LARGEST; ++i) bytes_out[i] = 8 * (rank + 1), give[i] = rank + 1;
  for (i = 0; i < in_count; ++i) bytes_in[i] = in[i] < 0 ? 0 : 8 * (in[i] + 1), take[i] = bytes_in[i] / 8;
  NEIGHBOURS(Neighbor_allgatherv, Ineighbor_allgatherv, mine, rank + 1, MPI_DOUBLE, all, take, at_in,
             MPI_DOUBLE, comm);
  /* and to each another number: as many as its own rank and the other's together */
  for (i = 0; i < out_count; ++i)
    bytes_out[i] = out[i] < 0 ? 0 : 8 * (rank + out[i]), give[i] = bytes_out[i] / 8;
  for (i = 0; i < in_count; ++i) bytes_in[i] = in[i] < 0 ? 0 : 8 * (rank + in[i]), take[i] = bytes_in[i] / 8;
  NEIGHBOURS(Neighbor_alltoallv, Ineighbor_alltoallv, mine, give, at_out, MPI_DOUBLE, all, take, at_in,
             MPI_DOUBLE, comm);
  DO(Neighbor_alltoallw, mine, give, wide_out, same, all, take, wide_in, same, comm), EXPECT;
  DO(Ineighbor_alltoallw, mine, give, wide_out, same, all, take, wide_in, same, comm, &request),
      wait_for(&request), EXPECT;
}

static void topologies(void) {
  int dims[2] = {2, ranks / 2}, periods[2] = {1, 0}, near[4], i, edges[LARGEST * 2], index[LARGEST];
  MPI_Comm grid, line, graph;
  /* a line that ends: the first and the last have MPI_PROC_NULL beside them */
  dims[0] = ranks, periods[0] = 0;
  DO(Cart_create, MPI_COMM_WORLD, 1, dims, periods, 0, &line), collective("communicator", 0, 0);
  near[0] = rank > 0 ? rank - 1 : -1, near[1] = rank < ranks - 1 ? rank + 1 : -1;
  neighbours(line, 2, near, 2, near);
  DO(Comm_free, &line), collective("communicator", 0, 0);
  /* a ring: a message of the program with the same tag does not mix with the neighbours' */
  periods[0] = 1;
  DO(Cart_create, MPI_COMM_WORLD, 1, dims, periods, 0, &grid), collective("communicator", 0, 0);
  near[0] = (rank + ranks - 1) % ranks, near[1] = (rank + 1) % ranks;
  MPI_Request requests[2];
  DO(Irecv, all, 5, MPI_INT, near[0], 0, grid, &requests[0]);
  if (ranks > 2) neighbours(grid, 2, near, 2, near);
  DO(Isend, mine, 5, MPI_INT, near[1], 0, grid, &requests[1]), sent(near[1], 0, 20);
  DO(Waitall, 2, requests, MPI_STATUSES_IGNORE), received(near[0], 0, 20);
  DO(Comm_free, &grid), collective("communicator", 0, 0);
  /* a star */
  for (i = 0; i < ranks; ++i) index[i] = ranks - 1 + i;
  for (i = 0; i < ranks - 1; ++i) edges[i] = i + 1, edges[ranks - 1 + i] = 0;
  DO(Graph_create, MPI_COMM_WORLD, ranks, index, edges, 0, &graph), collective("communicator", 0, 0);
  int leaf = 0;
  neighbours(graph, rank == 0 ? ranks - 1 : 1, rank == 0 ? edges : &leaf, rank == 0 ? ranks - 1 : 1,
             rank == 0 ? edges : &leaf);
  DO(Comm_free, &graph), collective("communicator", 0, 0);
#ifdef OPEN_MPI /* under MPICH 4.0 this aborts or hangs now and then, without the recorder too */
  /* one direction only: from each to the next, and nothing into rank 0 */
  MPI_Comm distributed;
  int from = rank - 1, to = rank + 1, weight = 1;
  DO(Dist_graph_create_adjacent, MPI_COMM_WORLD, rank > 0, &from, &weight, rank < ranks - 1, &to, &weight,
     MPI_INFO_NULL, 0, &distributed);
  collective("communicator", 0, 0);
  neighbours(distributed, rank > 0, &from, rank < ranks - 1, &to);
  DO(Comm_free, &distributed), collective("communicator", 0, 0);
#endif
}

int main(int argc, char** argv) {
  MPI_Comm some, copy;
  MPI_Request request;
  suite_begin(&argc, &argv);
  on_group(MPI_COMM_WORLD);
  on_group(MPI_COMM_SELF);
  DO(Comm_split, MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, -rank, &some),
      collective("communicator", 0, 0);
  if (some != MPI_COMM_NULL) {
    on_group(some);
    DO(Comm_free, &some), collective("communicator", 0, 0);
  }
  DO(Comm_idup, MPI_COMM_WORLD, &copy, &request), wait_for(&request), collective("communicator", 0, 0);
  DO(Barrier, copy), collective("Barrier", 0, 0);
  DO(Comm_free, &copy), collective("communicator", 0, 0);
  between_groups();
  topologies();
  return suite_end(5);
}

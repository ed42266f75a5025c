/* Processes that are spawned, by all and by one, several programs at once, from a communicator that holds
   spawned ones; messages and collectives between the worlds, over intercommunicators and merged ones; a port
   that one world opens for another. */
#include "suite.h"

#define CREATED collective("communicator", 0, 0)

/* Between this world and the other, whose ranks in the trace begin at `there`, its own at `first`. */
static void between(MPI_Comm inter, int there, int parents) {
  int size, value = rank, sum = 0, i, gathered[64], values[64], far, counts[8], places[8], same[8], at[8];
  const int first = parents ? 0 : 2;
  DO(Comm_remote_size, inter, &size);
  far = size - 1;
  if (rank < size) { /* one to one */
    MPI_Request requests[2];
    DO(Irecv, &value, 1, MPI_INT, rank, 3, inter, &requests[0]);
    DO(Isend, &rank, 1, MPI_INT, rank, 3, inter, &requests[1]), sent(there + rank, 3, 4);
    DO(Waitall, 2, requests, MPI_STATUSES_IGNORE), received(there + rank, 3, 4);
    HOLDS(value == rank);
  }
  const int root = parents ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  value = parents ? 40 : 0;
  DO(Bcast, &value, 1, MPI_INT, root, inter), collective("Bcast", root == MPI_ROOT ? 4 : 0, parents ? 0 : 4);
  HOLDS(value == 40);
  DO(Gather, &rank, 1, MPI_INT, gathered, 1, MPI_INT, root, inter),
      collective("Gather", parents ? 0 : 4, root == MPI_ROOT ? 4 * size : 0);
  const int is_root = root == MPI_ROOT;
  for (i = 0; is_root && i < size; ++i) HOLDS(gathered[i] == i);
  for (i = 0; i < size; ++i) counts[i] = i + 1, places[i] = i * (i + 1) / 2, values[i] = 10 + i;
  const int total = size * (size + 1) / 2, part = rank + 1;
  DO(Gatherv, values, part, MPI_INT, gathered, counts, places, MPI_INT, root, inter),
      collective("Gatherv", parents ? 0 : 4 * part, is_root ? 4 * total : 0);
  if (!parents) carried(first + rank, there, 4 * part), carried(there, first + rank, 4 * part);
  DO(Scatter, values, 1, MPI_INT, &value, 1, MPI_INT, root, inter),
      collective("Scatter", is_root ? 4 * size : 0, parents ? 0 : 4);
  HOLDS(parents || value == 10 + rank);
  DO(Scatterv, values, counts, places, MPI_INT, gathered, part, MPI_INT, root, inter),
      collective("Scatterv", is_root ? 4 * total : 0, parents ? 0 : 4 * part);
  DO(Reduce, &rank, &sum, 1, MPI_INT, MPI_SUM, root, inter),
      collective("Reduce", parents ? 0 : 4, is_root ? 4 : 0);
  HOLDS(!is_root || sum == size * far / 2);
  DO(Allgather, &rank, 1, MPI_INT, gathered, 1, MPI_INT, inter), collective("Allgather", 4, 4 * size);
  DO(Allgatherv, values, part, MPI_INT, gathered, counts, places, MPI_INT, inter),
      collective("Allgatherv", 4 * part, 4 * total);
  for (i = 0; i < size; ++i) carried(first + rank, there + i, 4 * part);
  DO(Alltoall, values, 1, MPI_INT, gathered, 1, MPI_INT, inter), collective("Alltoall", 4 * size, 4 * size);
  for (i = 0; i < size; ++i) same[i] = part, at[i] = i * part;
  DO(Alltoallv, values, counts, places, MPI_INT, gathered, same, at, MPI_INT, inter),
      collective("Alltoallv", 4 * total, 4 * part * size);
  for (i = 0; size > 1 && i < size; ++i) volume(there + i, 4 * counts[i]);
  if (size == 1) carried(first + rank, there, 4 * counts[0]);
  DO(Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, inter), collective("Allreduce", 4, 4);
  HOLDS(sum == size * far / 2);
  DO(Barrier, inter), collective("Barrier", 0, 0);
}

/* Over the merged communicator: parents first. Spawns once more, from there, a single process. */
static void merged(MPI_Comm inter, int parents, int first, int second, int first_size, const char* program,
                   const char* prefix) {
  MPI_Comm all, copy, once_more;
  int me, size, value = -1, next;

  DO(Intercomm_merge, inter, !parents, &all);
  DO(Comm_rank, all, &me);
  DO(Comm_size, all, &size);
  DO(Comm_dup, all, &copy), CREATED;
#define IN_TRACE(place) ((place) < first_size ? first + (place) : second + (place)-first_size)
  next = (me + 1) % size;
  const int before = (me + size - 1) % size;
  DO(Sendrecv, &me, 1, MPI_INT, next, 4, &value, 1, MPI_INT, before, 4, copy, MPI_STATUS_IGNORE);
  sent(IN_TRACE(next), 4, 4), received(IN_TRACE(before), 4, 4);
  HOLDS(value == before);

  char* arguments[] = {(char*)prefix, "4", "grandchild", NULL};
  DO(Comm_spawn, (char*)program, arguments, 1, MPI_INFO_NULL, size - 1, copy, &once_more,
     MPI_ERRCODES_IGNORE),
      CREATED;
  if (me == 0) DO(Send, &me, 1, MPI_INT, 0, 6, once_more), sent(4, 6, 4);
  if (me == size - 1) DO(Recv, &value, 1, MPI_INT, 0, 7, once_more, MPI_STATUS_IGNORE), received(4, 7, 4);
  DO(Comm_disconnect, &once_more), CREATED;
  DO(Comm_free, &copy), CREATED;
  DO(Comm_free, &all), CREATED;
}

/* Ranks of the trace: 0 and 1 launched, 2 and 3 spawned by both, 4 by 0 to 3 together, 5 to 7 by rank 0 as
   two programs. */
static void parent(char** argv) {
  MPI_Comm inter, own, met;
  char* arguments[] = {argv[1], "2", "child", NULL};
  DO(Comm_spawn, argv[0], arguments, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE),
      CREATED;
  between(inter, 2, 1);
  merged(inter, 1, 0, 2, 2, argv[0], argv[1]);
  DO(Comm_disconnect, &inter), CREATED;
  if (rank == 0) {
    char port[MPI_MAX_PORT_NAME];
    char* one[] = {argv[1], "5", "several", NULL};
    char* programs[] = {argv[0], argv[0]};
    char** both[] = {one, one};
    const int counts[] = {1, 2};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    DO(Comm_spawn_multiple, 2, programs, both, counts, infos, 0, MPI_COMM_SELF, &own, MPI_ERRCODES_IGNORE),
        CREATED;
    int i, size;
    DO(Comm_remote_size, own, &size);
    HOLDS(size == 3);
    for (i = 0; i < 3; ++i) DO(Send, &i, 1, MPI_INT, i, 8, own), sent(5 + i, 8, 4);
    DO(Open_port, MPI_INFO_NULL, port);
    DO(Send, port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 9, own), sent(5 + 1, 9, MPI_MAX_PORT_NAME);
    DO(Comm_accept, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &met), CREATED;
    DO(Recv, &i, 1, MPI_INT, 0, 10, met, MPI_STATUS_IGNORE), received(5 + 1, 10, 4);
    HOLDS(i == 1);
    DO(Close_port, port);
    DO(Comm_disconnect, &met), CREATED;
    DO(Comm_disconnect, &own), CREATED;
  }
}

static void several(MPI_Comm parents) {
  int value = -1;
  DO(Recv, &value, 1, MPI_INT, 0, 8, parents, MPI_STATUS_IGNORE), received(0, 8, 4);
  HOLDS(value == rank);
  if (rank == 1) {
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm met;
    DO(Recv, port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 9, parents, MPI_STATUS_IGNORE),
        received(0, 9, MPI_MAX_PORT_NAME);
    DO(Comm_connect, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &met), CREATED;
    DO(Send, &rank, 1, MPI_INT, 0, 10, met), sent(0, 10, 4);
    DO(Comm_disconnect, &met), CREATED;
  }
  DO(Comm_disconnect, &parents), CREATED;
}

static void grandchild(MPI_Comm parents) {
  int value = -1, size;
  DO(Comm_remote_size, parents, &size);
  HOLDS(size == 4);
  DO(Recv, &value, 1, MPI_INT, 0, 6, parents, MPI_STATUS_IGNORE), received(0, 6, 4);
  DO(Send, &value, 1, MPI_INT, 3, 7, parents), sent(3, 7, 4);
  DO(Comm_disconnect, &parents), CREATED;
}

int main(int argc, char** argv) {
  MPI_Comm parents;
  suite_begin(&argc, &argv);
  DO(Comm_get_parent, &parents);
  if (argc < 4) {
    HOLDS(parents == MPI_COMM_NULL);
    parent(argv);
  } else if (strcmp(argv[3], "child") == 0) {
    between(parents, 0, 0);
    merged(parents, 0, 0, 2, 2, argv[0], argv[1]);
    DO(Comm_disconnect, &parents), CREATED;
  } else if (strcmp(argv[3], "several") == 0) {
    several(parents);
  } else {
    grandchild(parents);
  }
  return suite_end(0);
}

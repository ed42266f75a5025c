/* Communicators, windows and files of the same members that are made in another order on each rank, as MPI
   allows: what is begun is completed in any order, parents are used in any order, and threads make them at
   the same time. And messages that are taken by a matched probe and received after later ones. All that goes
   over the k-th of them is of k * 8 bytes: origins_test.py. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { threads = 3, made_by_thread = 7 };
static int rank, ranks;
static char data[65536], into[65536];
static MPI_Comm parents[threads];

/* Around the ring, one after the other on each communicator. */
static void exchange(MPI_Comm comm, int k) {
  int size, self;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &self);
  MPI_Sendrecv(data, 8 * k, MPI_BYTE, (self + 1) % size, 1, into, 8 * k, MPI_BYTE, (self + size - 1) % size,
               1, comm, MPI_STATUS_IGNORE);
}

static void idups(void) {
  MPI_Comm a[2], b[2];
  MPI_Request of_a[2], of_b[2];
  const int late = rank % 2;
  MPI_Comm_idup(parents[0], &a[0], &of_a[0]);
  MPI_Comm_idup(parents[0], &a[1], &of_a[1]);
  MPI_Wait(&of_a[late], MPI_STATUS_IGNORE);
  MPI_Wait(&of_a[1 - late], MPI_STATUS_IGNORE);
  exchange(a[0], 1), exchange(a[1], 2);
#ifndef OPEN_MPI /* which waits for ever: it numbers communicators in the order of these calls */
  MPI_Comm_idup(parents[late], &b[late], &of_b[late]);
  MPI_Comm_idup(parents[1 - late], &b[1 - late], &of_b[1 - late]);
#else
  MPI_Comm_idup(parents[0], &b[0], &of_b[0]);
  MPI_Comm_idup(parents[1], &b[1], &of_b[1]);
#endif
  MPI_Wait(&of_b[1 - late], MPI_STATUS_IGNORE);
  MPI_Wait(&of_b[late], MPI_STATUS_IGNORE);
  exchange(b[0], 3), exchange(b[1], 4);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&a[i]), MPI_Comm_free(&b[i]);
}

/* Each thread makes its own from a parent of its own; which of them is first differs by rank. */
static void* make_all(void* argument) {
  const int thread = (int)(size_t)argument, first = 10 + thread * made_by_thread;
  const MPI_Comm parent = parents[thread];
  const int all[] = {ranks}, no[] = {0};
  MPI_Comm dup, split, grid, group_comm;
  MPI_Group group;
  MPI_Win win;
  char* memory = calloc(1, 4096);
  usleep(20000 * ((rank + thread) % threads));
  MPI_Comm_dup(parent, &dup);
  MPI_Comm_split(parent, 0, rank, &split);
  MPI_Cart_create(parent, 1, all, no, 0, &grid);
  MPI_Comm_group(parent, &group);
  usleep(20000 * ((rank + 2 * thread) % threads));
#ifdef OPEN_MPI
  MPI_Comm_create_group(MPI_COMM_WORLD, group, thread, &group_comm);
#else /* of several threads MPICH 4.0.2 crashes in that */
  MPI_Comm_create(parent, group, &group_comm);
#endif
  exchange(dup, first), exchange(split, first + 1), exchange(grid, first + 2),
      exchange(group_comm, first + 3);
  MPI_Win_create(memory, 4096, 1, MPI_INFO_NULL, parent, &win);
  MPI_Win_fence(0, win);
  MPI_Put(data, 8 * (first + 4), MPI_BYTE, (rank + 1) % ranks, 0, 8 * (first + 4), MPI_BYTE, win);
  MPI_Win_fence(0, win);
#ifdef OPEN_MPI /* as in this */
  MPI_File file;
  char name[64];
  snprintf(name, sizeof name, "origins.%d", thread);
  MPI_File_open(parent, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_write_at_all(file, rank * 4096, data, 8 * (first + 5), MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
#endif
  MPI_Win_free(&win);
  MPI_Group_free(&group);
  MPI_Comm_free(&dup), MPI_Comm_free(&split), MPI_Comm_free(&grid), MPI_Comm_free(&group_comm);
  free(memory);
  return NULL;
}

/* The message that was taken first is received last. */
static void matched_probes(void) {
  MPI_Message message, other;
  MPI_Request request;
  MPI_Status status;
  int found = 0;
  if (rank == 0) {
    for (int k = 1; k <= 3; ++k) MPI_Send(data, 8 * k, MPI_BYTE, 1, 9, MPI_COMM_WORLD);
    for (int k = 4; k <= 6; ++k) MPI_Send(data, 8 * k, MPI_BYTE, 1, 9, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Mprobe(0, 9, MPI_COMM_WORLD, &message, &status);
    MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
    MPI_Recv(into, 65536, MPI_BYTE, 0, 9, MPI_COMM_WORLD, &status); /* the third */
    MPI_Mrecv(into, 65536, MPI_BYTE, &other, MPI_STATUS_IGNORE);    /* the second */
    MPI_Mrecv(into, 65536, MPI_BYTE, &message, &status);            /* the first */
    while (!found) MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    MPI_Recv(into, 65536, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Imrecv(into, 65536, MPI_BYTE, &message, &request);
    MPI_Recv(into, 65536, MPI_BYTE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int provided;
  pthread_t others[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  if (argc > 1 && argv[1][0] == 'm') {
    matched_probes();
  } else if (argc > 1 && argv[1][0] == 'i') {
    idups();
  } else if (provided == MPI_THREAD_MULTIPLE) {
    /* The first opens Open MPI's framework of topologies, which takes no lock: threads whose first ones come together crash
       in it, with and without a recorder. */
    const int one[] = {1}, no[] = {0};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_SELF, 1, one, no, 0, &grid);
    MPI_Comm_free(&grid);
    for (int i = 0; i < threads; ++i) pthread_create(&others[i], NULL, make_all, (void*)(size_t)i);
    for (int i = 0; i < threads; ++i) pthread_join(others[i], NULL);
  }
  printf("rank %d done, threads %d\n", rank, provided == MPI_THREAD_MULTIPLE);
  MPI_Finalize();
  return 0;
}

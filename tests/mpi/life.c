/* How a program can end, and what else it can do to the recorder. life MODE [FILE] */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

/* In front of libc's, for the recorder too: counts what it brings to the disk. */
static volatile long synced;
int msync(void* at, size_t bytes, int flags) {
  if (flags == MS_SYNC) ++synced;
  return (int)syscall(SYS_msync, at, bytes, flags);
}

/* Counts each call that has returned in a mapped file, until killed. FILE.RANK: process id, count. */
static void until_killed(const char* prefix) {
  char name[512];
  snprintf(name, sizeof name, "%s.%d", prefix, rank);
  int file = open(name, O_RDWR | O_CREAT, 0644);
  if (file < 0 || ftruncate(file, 4096) != 0) exit(2);
  volatile long* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int flag, in, out = 1, other = 1 - rank;
  MPI_Request requests[2];
  shared[1] = 2; /* MPI_Init and MPI_Comm_rank */
  shared[0] = getpid();
  for (;;) {
    MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), ++shared[1];
    MPI_Irecv(&in, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]), ++shared[1];
    MPI_Isend(&out, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]), ++shared[1];
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), ++shared[1];
  }
}

static void* messages_of_a_thread(void* number) {
  int tag = *(int*)number, in, i;
  MPI_Request requests[2];
  for (i = 0; i < 500; ++i) {
    MPI_Irecv(&in, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&i, 1, MPI_INT, i % 5 == 0 ? MPI_PROC_NULL : rank, tag, MPI_COMM_WORLD, &requests[1]);
    if (i % 5 == 0) MPI_Cancel(&requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

/* One thread begins, another completes: more operations than the recorder's table has room for at once. */
enum { handed_over = 300000, at_once = 50 };
static MPI_Request handed[at_once];
static pthread_barrier_t turn;

static void* completes(void* unused) {
  int i;
  for (i = 0; i < handed_over; i += at_once) {
    pthread_barrier_wait(&turn);
    MPI_Waitall(at_once, handed, MPI_STATUSES_IGNORE);
    pthread_barrier_wait(&turn);
  }
  return unused;
}

static void hand_over(void) {
  pthread_t other;
  int i, k, in;
  MPI_Comm own; /* not the world: its number is looked up in the table of communicators */
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  pthread_barrier_init(&turn, NULL, 2);
  pthread_create(&other, NULL, completes, NULL);
  for (i = 0; i < handed_over; i += at_once) {
    for (k = 0; k < at_once; ++k) MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, k, own, &handed[k]);
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
  }
  pthread_join(other, NULL);
  MPI_Comm_free(&own);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  int i, flag;
  if (strcmp(mode, "threads") == 0) {
    int given, numbers[4] = {1, 2, 3, 4};
    pthread_t threads[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    if (given != MPI_THREAD_MULTIPLE) return 77;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, messages_of_a_thread, &numbers[i]);
    for (i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    hand_over();
    return MPI_Finalize();
  }
  if (strcmp(mode, "limit") == 0 &&
      argc > 2) { /* no file may grow beyond 20 MiB: room for one step of the spool */
    struct rlimit limit = {20u << 20, 20u << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(mode, "killed") == 0) until_killed(argv[2]);
  if (strcmp(mode, "exit") == 0) exit(3);
  if (strcmp(mode, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(mode, "limit") == 0)
    for (i = 0; i < 400000; ++i) MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  if (strcmp(mode, "fork") == 0) {
    pid_t child = fork();
    if (child == 0) { /* a child that goes on calling: its clock is its own, nothing of it is recorded */
      for (i = 0; i < 10; ++i) MPI_Wtime();
      exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0) return 6;
  }
  if (strncmp(mode, "end-", 4) == 0) { /* after calls that have returned, without MPI_Finalize */
    for (i = 0; i < 1000; ++i) MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    printf("the program says %d\n", i);
    fflush(stdout);
    if (strcmp(mode, "end-segv") == 0) raise(SIGSEGV);
    if (strcmp(mode, "end-kill") == 0) raise(SIGKILL);
    if (strcmp(mode, "end-abort") == 0) abort();
    if (strcmp(mode, "end-_exit") == 0) _exit(4);
    if (strcmp(mode, "end-exec") == 0) execl("/bin/echo", "echo", "another program", NULL);
    return 9;
  }
  int returned_unsynced = 0;
  if (strcmp(mode, "durable") == 0)
    for (i = 0; i < 20; ++i) {
      long before = synced;
      MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      returned_unsynced += synced == before;
    }
  MPI_Wtick();
  MPI_Finalize(); /* launchers tell of their own a program that ends before it */
  return returned_unsynced > 0 ? 8 : 0;
}

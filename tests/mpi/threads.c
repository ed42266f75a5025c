/* Programs of many threads. threads MODE NUMBER [CALLS|FILE] */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, calls;
static pthread_barrier_t here;

static void to_oneself(int tag) {
  int out = tag, in = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, rank, tag, &in, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (in != tag) MPI_Abort(MPI_COMM_WORLD, 9);
}

static void* calls_and_stays(void* number) {
  for (int i = 0; i < calls; ++i) to_oneself((int)(long)number);
  pthread_barrier_wait(&here); /* all have called */
  pthread_barrier_wait(&here); /* MPI_Finalize has returned */
  return NULL;
}

static void* calls_once(void* number) {
  to_oneself((int)(long)number);
  return NULL;
}

/* What the files of the spool take on the disk. */
static long long disk(void) {
  long long bytes = 0;
  const char* place = getenv("WW_SPOOL_DIR");
  DIR* dir = place == NULL ? NULL : opendir(place);
  struct dirent* entry;
  while (dir != NULL && (entry = readdir(dir)) != NULL) {
    struct stat status;
    if (fstatat(dirfd(dir), entry->d_name, &status, 0) == 0) bytes += (long long)status.st_blocks * 512;
  }
  if (dir != NULL) closedir(dir);
  return bytes;
}

static pthread_t start(void* (*body)(void*), long number) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  if (pthread_create(&thread, &attributes, body, (void*)number) != 0) exit(9);
  return thread;
}

/* Each thread counts its calls that returned, in a mapped file: counts[thread]. */
static volatile long* counts;

static void* calls_for_ever(void* number) {
  int flag;
  for (;;) {
    MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    ++counts[8 * (long)number];
  }
  return NULL;
}

static void count_into(const char* prefix) {
  char name[512];
  snprintf(name, sizeof name, "%s.%d", prefix, rank);
  int file = open(name, O_RDWR | O_CREAT, 0644);
  if (file < 0 || ftruncate(file, 65536) != 0) exit(9);
  counts = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

/* Pages that the first and the second call of each kind have to wait for. */
static long faults(void) {
  struct rusage used;
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_minflt + used.ru_majflt;
}

static void* first_calls(void* unused) {
  int in, out = 1, flag, at, i;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  long before = faults();
#define FIRST(name, call)                       \
  do {                                          \
    const long begin = faults();                \
    call;                                       \
    printf("%s %ld\n", name, faults() - begin); \
  } while (0)
  printf("nothing %ld\n", faults() - before);
  for (i = 0; i < 2; ++i) {
    FIRST("MPI_Iprobe", MPI_Iprobe(rank, 5, MPI_COMM_WORLD, &flag, statuses));
    FIRST("MPI_Irecv", MPI_Irecv(&in, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[0]));
    FIRST("MPI_Isend", MPI_Isend(&out, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[1]));
    FIRST("MPI_Waitany", MPI_Waitany(2, requests, &at, statuses));
    FIRST("MPI_Waitall", MPI_Waitall(2, requests, statuses));
    MPI_Irecv(&in, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[1]);
    FIRST("MPI_Waitsome", MPI_Waitsome(2, requests, &at, &flag, statuses));
    FIRST("MPI_Testall", MPI_Testall(2, requests, &flag, statuses));
    MPI_Waitall(2, requests, statuses);
    FIRST("MPI_Sendrecv", to_oneself(3));
    FIRST("MPI_Allreduce", MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 9;
  const char* mode = argv[1];
  const int number = atoi(argv[2]);
  int given, i;
  pthread_t* threads = malloc(sizeof *threads * (size_t)number);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  if (given != MPI_THREAD_MULTIPLE) return 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(mode, "at_once") == 0) {
    calls = atoi(argv[3]);
    pthread_barrier_init(&here, NULL, (unsigned)number + 1);
    for (i = 0; i < number; ++i) threads[i] = start(calls_and_stays, i);
    pthread_barrier_wait(&here);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("disk %lld\n", disk());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    pthread_barrier_wait(&here);
    for (i = 0; i < number; ++i) pthread_join(threads[i], NULL);
    return 0;
  }
  if (strcmp(mode, "in_turn") == 0) {
    const double begin = MPI_Wtime();
    for (i = 0; i < number; ++i) pthread_join(start(calls_once, i), NULL);
    printf("took %.6f\n", MPI_Wtime() - begin);
  }
  if (strcmp(mode, "exit") == 0) {
    count_into(argv[3]);
    for (i = 0; i < number; ++i) start(calls_for_ever, i);
    usleep(200000);
    exit(3);
  }
  if (strcmp(mode, "first") == 0) {
    first_calls(NULL);
    printf("in a thread\n");
    pthread_join(start(first_calls, 0), NULL);
  }
  return MPI_Finalize();
}

/* Times itself by the clocks that a program has, and by the kernel's own, which no library stands before. */
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { wtime, monotonic, realtime, raw, day, clocks };
static const char* names[clocks] = {"MPI_Wtime", "CLOCK_MONOTONIC", "CLOCK_REALTIME", "CLOCK_MONOTONIC_RAW",
                                    "gettimeofday"};

static double by(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double truly(clockid_t id) {
  struct timespec t;
  syscall(SYS_clock_gettime, id, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double real(void) {
  return truly(CLOCK_MONOTONIC);
}
static void read_all(double* value) {
  struct timeval t;
  value[wtime] = MPI_Wtime();
  value[monotonic] = by(CLOCK_MONOTONIC);
  value[realtime] = by(CLOCK_REALTIME);
  value[raw] = by(CLOCK_MONOTONIC_RAW);
  gettimeofday(&t, NULL);
  value[day] = (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}
/* Computes for so many real seconds; gives what it really took. */
static double had_s; /* of a core, of what was computed */
static double compute(double seconds) {
  const double begin = real(), had = truly(CLOCK_THREAD_CPUTIME_ID);
  double now = begin;
  while (now - begin < seconds) now = real();
  had_s += truly(CLOCK_THREAD_CPUTIME_ID) - had;
  return now - begin;
}

static double rounds[100];
static int round_count;
static int smaller(const void* a, const void* b) {
  return *(const double*)a < *(const double*)b ? -1 : *(const double*)a > *(const double*)b;
}

/* A barrier every 10 ms; what the true clock said around each goes to the file NAME.RANK. */
static void mark(int rank, int count, const char* name) {
  char path[4096];
  FILE* file;
  long long* around = malloc(sizeof(long long) * 2 * (size_t)count);
  int i;
  for (i = 0; i < count; ++i) {
    usleep(10000);
    around[2 * i] = (long long)(real() * 1e9);
    MPI_Barrier(MPI_COMM_WORLD);
    around[2 * i + 1] = (long long)(real() * 1e9) + 1;
  }
  snprintf(path, sizeof path, "%s.%d", name, rank);
  file = fopen(path, "w");
  for (i = 0; i < count; ++i) fprintf(file, "%lld %lld\n", around[2 * i], around[2 * i + 1]);
  fclose(file);
  free(around);
}

/* Both ranks are here at once where a message takes 10 ms at D = 2: rank 1 hears from rank 0 as late as that has
   computed 5 ms. */
static void meet(int rank) {
  int token = 0, size;
  if (rank == 1) MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Send(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) compute(0.005);
  MPI_Type_size(MPI_INT, &size); /* what is owed passes here */
}
/* What is to be late at rank 1: its end of what rank 0 begins. */
static void late_call(const char* what, int rank, MPI_Request* request) {
  int out = rank, in[2] = {0, 0};
  if (strcmp(what, "-bcast") == 0) {
    MPI_Bcast(&out, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (strcmp(what, "-reduce") == 0) { /* rank 1 is the root */
    MPI_Reduce(&out, in, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  } else if (strcmp(what, "-gather") == 0) {
    MPI_Gather(&out, 1, MPI_INT, in, 1, MPI_INT, 1, MPI_COMM_WORLD);
  } else if (strcmp(what, "-leaf") == 0) { /* a reduction that rank 0 waits for */
    MPI_Reduce(&out, in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  } else if (strcmp(what, "-allreduce") == 0) {
    MPI_Allreduce(&out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(what, "-wait") == 0) {
    static int sum, own;
    MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Send(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Two threads take turns to compute and to call MPI. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;
static double computed_in_turns;
static void* take_turns(void* whose) {
  const int mine = whose != NULL;
  int i, found;
  for (i = 0; i < 10; ++i) {
    pthread_mutex_lock(&mutex);
    while (turn != mine) pthread_cond_wait(&turned, &mutex);
    computed_in_turns += compute(0.01);
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    turn = !mine;
    pthread_cond_signal(&turned);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int rank, i, token = 0, provided;
  double before[clocks], after[clocks], computed = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* mode = argc > 1 ? argv[1] : "";
  if (strncmp(mode, "marks", 5) == 0) {
    mark(rank, atoi(argv[2]), argv[3]);
    if (strcmp(mode, "marks-killed") == 0) {
      usleep(200000); /* or the launcher ends the others before they have written */
      raise(SIGKILL);
    }
    return MPI_Finalize();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  read_all(before);
  const double begin = real();
  if (strcmp(mode, "compute") == 0) { /* rank 0 computes, rank 1 waits for it */
    for (i = 0; i < 20; ++i) {
      if (rank == 0) {
        computed += compute(0.01);
        MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
      } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
  } else if (strcmp(mode, "pingpong") == 0) { /* every receive waits */
    for (i = 0; i < 20; ++i) {
      const double start = real();
      if (rank == 0) MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
      rounds[round_count++] = real() - start;
    }
  } else if (strcmp(mode, "early") == 0) { /* no receive waits */
    int tokens[100];
    MPI_Request requests[100];
    if (rank == 0)
      for (i = 0; i < 100; ++i) MPI_Isend(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 0) MPI_Waitall(100, requests, MPI_STATUSES_IGNORE);
    usleep(50000);
    for (i = 0; i < 200; ++i) MPI_Iprobe(1 - rank, 99, MPI_COMM_WORLD, &token, MPI_STATUS_IGNORE);
    for (i = 0; i < 100; ++i) {
      const double start = real();
      if (rank == 1) MPI_Recv(&tokens[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      rounds[round_count++] = real() - start;
    }
  } else if (strcmp(mode, "overlap") ==
             0) { /* a large message while both compute: a round is the wait for it */
    const int bytes = 16 << 20;
    char* buffer = calloc(1, (size_t)bytes);
    for (i = 0; i < 10; ++i) {
      MPI_Request request;
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0) MPI_Isend(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
      if (rank == 1) MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
      compute(0.02);
      MPI_Type_size(MPI_INT, &token); /* what is owed passes here */
      const double start = real();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      rounds[round_count++] = real() - start;
    }
    free(buffer);
  } else if (strcmp(mode, "turns") == 0) {
    pthread_t other;
    pthread_create(&other, NULL, take_turns, &other);
    take_turns(NULL);
    pthread_join(other, NULL);
    computed = computed_in_turns;
  } else if (strncmp(mode, "late", 4) == 0) { /* rank 1 begins 3 ms after rank 0 */
    const char* what = mode + 4;
    for (i = 0; i < 10; ++i) {
      MPI_Request request;
      const int begun_before = strcmp(what, "-test") == 0 || strcmp(what, "-wait") == 0;
      meet(rank);
      if (rank == 0) {
        late_call(what, 0, &request);
        continue;
      }
      if (strcmp(what, "-test") == 0) MPI_Irecv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
      if (strcmp(what, "-wait") == 0)
        MPI_Iallreduce(&i, &token, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      compute(0.003);
      MPI_Type_size(MPI_INT, &provided); /* what is owed passes here */
      const double start = real();
      if (!begun_before) late_call(what, 1, &request);
      if (strcmp(what, "-test") == 0)
        for (provided = 0; !provided;) MPI_Test(&request, &provided, MPI_STATUS_IGNORE);
      if (strcmp(what, "-wait") == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
      rounds[round_count++] = real() - start;
    }
  } else if (strcmp(mode, "sums") == 0) { /* rank 0 waits for each, rank 1 for none */
    for (i = 0; i < 20; ++i) {
      const double start = real();
      MPI_Reduce(&i, &token, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
      rounds[round_count++] = real() - start;
    }
  } else if (strcmp(mode, "barrier") == 0) {
    for (i = 0; i < 20; ++i) {
      const double start = real();
      MPI_Barrier(MPI_COMM_WORLD);
      rounds[round_count++] = real() - start;
    }
  }
  read_all(after);
  const double took = real() - begin;
  qsort(rounds, (size_t)round_count, sizeof rounds[0], smaller);
  char line[512];
  int n = snprintf(
      line, sizeof line,
      "{\"rank\":%d,\"real_s\":%.9f,\"computed_s\":%.9f,\"had_s\":%.9f,\"quickest_round_s\":%.9f,\"middle_"
      "round_s\":%.9f,\"seen_s\":{",
      rank, took, computed, had_s, rounds[0], rounds[round_count / 2]);
  for (i = 0; i < clocks; ++i)
    n += snprintf(line + n, sizeof line - (size_t)n, "%s\"%s\":%.9f", i ? "," : "", names[i],
                  after[i] - before[i]);
  printf("%s}}\n", line);
  fflush(stdout);
  return MPI_Finalize();
}

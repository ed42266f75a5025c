/* Two ranks whose threads call MPI at once (MPI_THREAD_MULTIPLE), and say how long things really took. at_once MODE
   Rank 1 polls with pauses, so that two cores are enough for the threads of rank 0 to compute side by side. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 12, work_ms = 10 };
static double took[2][rounds];
static int rank;
static const char* mode;

static double by(clockid_t id) {
  struct timespec t;
  syscall(SYS_clock_gettime, id, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double real(void) {
  return by(CLOCK_MONOTONIC);
}
/* For so long on a core, whoever else wants it. */
static void compute(double seconds) {
  const double begin = by(CLOCK_THREAD_CPUTIME_ID);
  while (by(CLOCK_THREAD_CPUTIME_ID) - begin < seconds) continue;
}

/* Waits for a message, and leaves the core to others meanwhile. */
static void receive(int tag) {
  MPI_Request request;
  int token, found = 0;
  MPI_Irecv(&token, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &request);
  for (;;) {
    MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    if (found) return;
    const struct timespec pause = {0, 50000};
    nanosleep(&pause, NULL);
  }
}
static void tell(int tag) {
  MPI_Send(&tag, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
}

/* "handed": thread 0 computes and hands over to thread 1, which sends what was computed; rank 1 acknowledges to
   thread 0. How a thread hands over: */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t filled;
static int full;
static void hand_over(void) {
  if (strcmp(mode, "condition") == 0) {
    pthread_mutex_lock(&mutex);
    full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  } else if (strcmp(mode, "semaphore") == 0) {
    sem_post(&filled);
  } else if (strcmp(mode, "futex") == 0) {
    __atomic_store_n(&full, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &full, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
  } else {
    pthread_barrier_wait(&barrier);
  }
}
static void take_over(void) {
  if (strcmp(mode, "condition") == 0) {
    pthread_mutex_lock(&mutex);
    while (!full) pthread_cond_wait(&changed, &mutex);
    full = 0;
    pthread_mutex_unlock(&mutex);
  } else if (strcmp(mode, "semaphore") == 0) {
    sem_wait(&filled);
  } else if (strcmp(mode, "futex") == 0) {
    while (__atomic_load_n(&full, __ATOMIC_ACQUIRE) == 0)
      syscall(SYS_futex, &full, 0 /* FUTEX_WAIT */, 0, NULL, NULL, 0);
    full = 0;
  } else {
    pthread_barrier_wait(&barrier);
  }
}

static void* hands(void* which) {
  const int sends = which != NULL;
  int i;
  for (i = 0; i < rounds; ++i)
    if (rank == 1) { /* from the acknowledgement on, which begins the next round */
      if (sends) return NULL;
      const double begin = real();
      receive(1);
      took[0][i] = real() - begin;
      tell(2);
    } else if (sends) {
      take_over();
      tell(1);
    } else {
      compute(work_ms * 1e-3);
      hand_over();
      receive(2);
    }
  return NULL;
}

/* "beside": both compute side by side, and each sends what it has. */
static void* computes_beside(void* which) {
  const int tag = which != NULL;
  int i;
  for (i = 0; i < rounds; ++i) {
    const double begin = real();
    if (rank == 0) compute(work_ms * 1e-3);
    if (rank == 0) tell(tag);
    if (rank == 1) receive(tag);
    if (rank == 1) tell(2 + tag);
    if (rank == 0) receive(2 + tag);
    if (rank == 0) pthread_barrier_wait(&barrier);
    took[tag][i] = real() - begin;
  }
  return NULL;
}

/* "locked": both compute in turn under one lock, and in no order; 5 ms each. */
static void* computes_locked(void* which) {
  const int tag = which != NULL;
  int i;
  for (i = 0; i < rounds; ++i) {
    const double begin = real();
    if (rank == 0) {
      pthread_mutex_lock(&mutex);
      compute(work_ms * 0.5e-3);
      pthread_mutex_unlock(&mutex);
      tell(tag);
      pthread_barrier_wait(&barrier);
    } else {
      receive(tag);
    }
    took[tag][i] = real() - begin;
  }
  return NULL;
}

/* "held": each thread of rank 1 waits for messages of its own thread of rank 0, which come together. */
static void* holds(void* which) {
  const int tag = which != NULL;
  int i;
  for (i = 0; i < rounds; ++i) {
    const double begin = real();
    if (rank == 0) {
      pthread_barrier_wait(&barrier);
      tell(tag);
      receive(2 + tag);
    } else {
      receive(tag);
      tell(2 + tag);
    }
    took[tag][i] = real() - begin;
  }
  return NULL;
}

static int smaller(const void* a, const void* b) {
  return *(const double*)a < *(const double*)b ? -1 : *(const double*)a > *(const double*)b;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t other;
  void* (*body)(void*);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (argc < 2 || provided != MPI_THREAD_MULTIPLE) return 9;
  mode = argv[1];
  body = strcmp(mode, "beside") == 0   ? computes_beside
         : strcmp(mode, "locked") == 0 ? computes_locked
         : strcmp(mode, "held") == 0   ? holds
                                       : hands;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&filled, 0, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  pthread_create(&other, NULL, body, &other);
  body(NULL);
  pthread_join(other, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  qsort(took[0], rounds, sizeof took[0][0], smaller);
  qsort(took[1], rounds, sizeof took[1][0], smaller);
  printf("{\"rank\":%d,\"middle_s\":[%.6f,%.6f],\"least_s\":[%.6f,%.6f]}\n", rank, took[0][rounds / 2],
         took[1][rounds / 2], took[0][0], took[1][0]);
  fflush(stdout);
  return MPI_Finalize();
}

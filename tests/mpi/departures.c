/* Sends messages in every way there is; each carries when it was sent, which is compared with the departure
   that the recorder tells its receiver: not before that, and before the next call of that sender. Three
   ranks; argument: tsc or monotonic. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

typedef struct {
  unsigned long long before, call;
  int from;
} Sent;
typedef struct {
  unsigned long long when, bytes;
  int source, tag, known;
} Told;

enum { most = 100000 };
static Told told[most];
static int told_count, told_read;
static struct {
  Sent sent;
  unsigned long long when;
} checked[most];
static int checked_count, rank, use_tsc;
static unsigned long long calls;

static void observe(int source, int tag, unsigned long long when, unsigned long long bytes, int known) {
  Told t = {when, bytes, source, tag, known};
  if (told_count < most) told[told_count++] = t;
}
static unsigned long long now(void) {
  struct timespec t;
  if (use_tsc) return __rdtsc();
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}
static void fail(const char* what, const char* where) {
  printf("rank %d: %s: %s\n", rank, where, what);
  fflush(stdout);
  usleep(100000); /* MPICH's launcher ends before it has passed on what it did not read yet */
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static Sent* stamp(Sent* sent) {
  sent->from = rank;
  sent->call = calls++;
  sent->before = now();
  return sent;
}
/* The next receive that was told of is of this message. */
static void check(const Sent* got, size_t bytes, const char* where) {
  const Told* t = &told[told_read++];
  if (told_read > told_count) fail("not told", where);
  if (!t->known) fail("not known", where);
  if (t->bytes != bytes) fail("bytes", where);
  if (t->when < got->before || t->when > now()) fail("another message's departure", where);
  checked[checked_count].sent = *got;
  checked[checked_count++].when = t->when;
}
static void done(const char* where) {
  if (told_read != told_count) fail("told of more than was received", where);
}
static int by_call(const void* a, const void* b) {
  const Sent *x = a, *y = b;
  if (x->from != y->from) return x->from - y->from;
  return x->call < y->call ? -1 : x->call > y->call;
}

static const char* where;
#define BEGIN(name)              \
  do {                           \
    done(where);                 \
    where = name;                \
    MPI_Barrier(MPI_COMM_WORLD); \
  } while (0)
#define BYTES sizeof(Sent), MPI_BYTE

static void send(int to, int tag, MPI_Comm comm) {
  Sent s;
  MPI_Send(stamp(&s), BYTES, to, tag, comm);
}
static void receive(int from, int tag, MPI_Comm comm) {
  Sent r;
  MPI_Recv(&r, BYTES, from, tag, comm, MPI_STATUS_IGNORE);
  check(&r, sizeof r, where);
}

enum { window = 20 };

/* Rank 0 sends a window to rank 1, which completes it by `how`. What completes any of them may give a later
   receive of a channel first, whose departure is that of the earlier: there each has a tag of its own. */
static void windows(int how) {
  Sent s[window];
  MPI_Request r[window];
  MPI_Status status[window];
  int i, flag, count, left, index[window];
  const int tags = how == 0 || how == 3 || how == 4 ? 3 : window;
  for (i = 0; i < window; ++i) {
    if (rank == 0) MPI_Isend(stamp(&s[i]), BYTES, 1, i % tags, MPI_COMM_WORLD, &r[i]);
    if (rank == 1) MPI_Irecv(&s[i], BYTES, i % 5 == 0 ? MPI_ANY_SOURCE : 0, i % tags, MPI_COMM_WORLD, &r[i]);
  }
  if (rank == 0) MPI_Waitall(window, r, MPI_STATUSES_IGNORE);
  if (rank != 1) return;
  switch (how) {
    case 0:
      MPI_Waitall(window, r, MPI_STATUSES_IGNORE);
      for (i = 0; i < window; ++i) check(&s[i], sizeof(Sent), where);
      break;
    case 1:
      for (left = window; left > 0; --left) {
        MPI_Waitany(window, r, &i, MPI_STATUS_IGNORE);
        check(&s[i], sizeof(Sent), where);
      }
      break;
    case 2:
      for (left = window; left > 0; left -= count) {
        MPI_Waitsome(window, r, &count, index, MPI_STATUSES_IGNORE);
        for (i = 0; i < count; ++i) check(&s[index[i]], sizeof(Sent), where);
      }
      break;
    case 3:
      do MPI_Testall(window, r, &flag, status);
      while (!flag);
      for (i = 0; i < window; ++i) check(&s[i], sizeof(Sent), where);
      break;
    case 4:
      for (i = 0; i < window; ++i) {
        do MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
        while (!flag);
        check(&s[i], sizeof(Sent), where);
      }
      break;
    case 5:
      for (left = window; left > 0;) {
        MPI_Testany(window, r, &i, &flag, MPI_STATUS_IGNORE);
        if (!flag) continue;
        check(&s[i], sizeof(Sent), where);
        --left;
      }
      break;
    default:
      for (left = window; left > 0; left -= count) {
        MPI_Testsome(window, r, &count, index, MPI_STATUSES_IGNORE);
        for (i = 0; i < count; ++i) check(&s[index[i]], sizeof(Sent), where);
      }
  }
}

static void communicators(void) {
  MPI_Comm dup, again, turned, idup, inter = MPI_COMM_NULL, half;
  MPI_Request r;
  int i;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_dup(dup, &again);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_Comm_idup(MPI_COMM_WORLD, &idup, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 1 ? 0 : 1, 99, &inter);
  for (i = 0; i < 5; ++i) {
    if (rank == 0) {
      send(1, 5, MPI_COMM_WORLD);
      send(1, 5, dup);
      send(1, 5, again);
      send(1, 5, turned);
      send(1, 5, idup);
      send(0, 5, inter);
    }
    if (rank == 1) {
      receive(0, 5, idup);
      receive(0, 5, inter);
      receive(2, 5, turned); /* 0 in the world */
      receive(0, 5, again);
      receive(0, 5, dup);
      receive(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD);
    }
  }
  MPI_Comm_free(&dup);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  if (rank == 2) send(1, 6, dup);
  if (rank == 1) receive(2, 6, dup);
}

static void persistent(void) {
  Sent s[3];
  MPI_Request r[3];
  int round, i;
  for (i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Send_init(&s[i], BYTES, 1, i, MPI_COMM_WORLD, &r[i]);
    if (rank == 1) MPI_Recv_init(&s[i], BYTES, 0, i, MPI_COMM_WORLD, &r[i]);
  }
  for (round = 0; round < 6 && rank < 2; ++round) {
    if (round % 2 == 0) {
      for (i = 0; i < 3; ++i) {
        if (rank == 0) stamp(&s[i]);
        MPI_Start(&r[i]);
      }
    } else {
      if (rank == 0) {
        stamp(&s[0]);
        s[1] = s[2] = s[0]; /* one call */
      }
      MPI_Startall(3, r);
    }
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    for (i = 0; i < 3 && rank == 1; ++i) check(&s[i], sizeof(Sent), where);
  }
  for (i = 0; i < 3 && rank < 2; ++i) MPI_Request_free(&r[i]);
}

static void ring(void) {
  const int next = (rank + 1) % 3, last = (rank + 2) % 3;
  Sent s, r;
  int i;
  for (i = 0; i < 10; ++i) {
    MPI_Sendrecv(stamp(&s), BYTES, next, i, &r, BYTES, last, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(&r, sizeof r, where);
    MPI_Sendrecv_replace(stamp(&s), BYTES, last, 1, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(&s, sizeof s, where);
#if MPI_VERSION >= 4
    {
      MPI_Request q;
      MPI_Isendrecv(stamp(&s), BYTES, next, 3, &r, BYTES, last, 3, MPI_COMM_WORLD, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
      check(&r, sizeof r, where);
    }
#endif
  }
  MPI_Sendrecv(stamp(&s), BYTES, MPI_PROC_NULL, 0, &r, BYTES, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Send(stamp(&s), BYTES, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void modes(void) {
  static char buffer[100000];
  Sent s[7], r;
  MPI_Request q;
  int i;
  if (rank == 1) {
    for (i = 0; i < 5; ++i) receive(0, 0, MPI_COMM_WORLD);
    MPI_Irecv(&r, BYTES, 0, 1, MPI_COMM_WORLD, &q);
    send(0, 2, MPI_COMM_WORLD);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    check(&r, sizeof r, where);
  }
  if (rank != 0) return;
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(stamp(&s[0]), BYTES, 1, 0, MPI_COMM_WORLD);
  MPI_Ssend(stamp(&s[1]), BYTES, 1, 0, MPI_COMM_WORLD);
  MPI_Ibsend(stamp(&s[2]), BYTES, 1, 0, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Issend(stamp(&s[3]), BYTES, 1, 0, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Send(stamp(&s[4]), BYTES, 1, 0, MPI_COMM_WORLD);
  receive(1, 2, MPI_COMM_WORLD);
  MPI_Rsend(stamp(&s[5]), BYTES, 1, 1, MPI_COMM_WORLD);
  MPI_Buffer_detach(&i, &i);
}

static void matched(void) {
  Sent s, t;
  MPI_Message message;
  MPI_Request q;
  if (rank == 0) {
    for (int i = 0; i < 4; ++i) send(1, 4, MPI_COMM_WORLD);
  }
  if (rank != 1) return;
  MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&s, BYTES, &message, MPI_STATUS_IGNORE);
  check(&s, sizeof s, where);
  MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(&t, BYTES, &message, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  check(&t, sizeof t, where);
  /* The probe takes the first, whatever is received before it is. */
  MPI_Mprobe(0, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Recv(&t, BYTES, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Mrecv(&s, BYTES, &message, MPI_STATUS_IGNORE);
  if (s.call >= t.call) fail("the probe did not take the first", where);
  check(&s, sizeof s, where);
  check(&t, sizeof t, where);
}

/* Two receives that are waited for in another order than they were posted, of two sizes, one large. */
static void turned_round(void) {
  static Sent large[40000];
  Sent small;
  MPI_Request q[2];
  if (rank == 0) {
    MPI_Isend(stamp(&large[0]), sizeof large, MPI_BYTE, 1, 8, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(stamp(&small), BYTES, 1, 8, MPI_COMM_WORLD, &q[1]);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  }
  if (rank != 1) return;
  MPI_Irecv(large, sizeof large, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(&small, BYTES, 0, 8, MPI_COMM_WORLD, &q[1]);
  MPI_Wait(&q[1], MPI_STATUS_IGNORE);
  check(&small, sizeof small, where);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  check(&large[0], sizeof large, where);
}

/* A receive that nobody sees complete: from then on that sender's departures are not known. */
static void freed(void) {
  static Sent unseen;
  Sent s;
  MPI_Request q;
  if (rank == 1) {
    MPI_Irecv(&unseen, BYTES, 2, 9, MPI_COMM_WORLD, &q);
    MPI_Request_free(&q);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) {
    send(1, 9, MPI_COMM_WORLD);
    send(1, 9, MPI_COMM_WORLD);
  }
  if (rank == 0) send(1, 9, MPI_COMM_WORLD);
  if (rank != 1) return;
  MPI_Recv(&s, BYTES, 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (told_read + 1 != told_count || told[told_read].known) fail("known", where);
  ++told_read;
  receive(0, 9, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  void (*observer)(void (*)(int, int, unsigned long long, unsigned long long, int));
  int i, j;
  use_tsc = argc > 1 && strcmp(argv[1], "tsc") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *(void**)&observer = dlsym(RTLD_DEFAULT, "ww_observe_departures");
  if (observer == NULL) fail("no recorder", "begin");
  observer(observe);
  where = "wildcards";
  if (rank != 1)
    for (i = 0; i < 30; ++i) send(1, i % 3, MPI_COMM_WORLD);
  else
    for (i = 0; i < 60; ++i) receive(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD);
  BEGIN("tags in another order");
  if (rank == 0)
    for (i = 0; i < 30; ++i) send(1, i, MPI_COMM_WORLD);
  if (rank == 1)
    for (i = 30; i-- > 0;) receive(0, i, MPI_COMM_WORLD);
  BEGIN("communicators");
  communicators();
  for (i = 0; i < 7; ++i) {
    BEGIN("windows");
    windows(i);
  }
  BEGIN("persistent");
  persistent();
  BEGIN("ring");
  ring();
  BEGIN("modes");
  modes();
  BEGIN("matched");
  matched();
  BEGIN("turned round");
  turned_round();
  BEGIN("more than a ring holds");
  if (rank == 0)
    for (i = 0; i < 9000; ++i) {
      send(1, 1, MPI_COMM_WORLD);
      receive(1, 1, MPI_COMM_WORLD);
    }
  if (rank == 1)
    for (i = 0; i < 9000; ++i) {
      receive(0, 1, MPI_COMM_WORLD);
      send(0, 1, MPI_COMM_WORLD);
    }
  BEGIN("freed");
  freed();
  done(where);
  qsort(checked, (size_t)checked_count, sizeof checked[0], by_call);
  for (i = 0; i + 1 < checked_count; ++i)
    for (j = i + 1; j < checked_count && checked[j].sent.from == checked[i].sent.from; ++j)
      if (checked[j].sent.call != checked[i].sent.call) {
        if (checked[i].when > checked[j].sent.before) fail("another message's departure", "all");
        break;
      }
  printf("rank %d checked %d\n", rank, checked_count);
  MPI_Finalize();
  return 0;
}

/* What the generated program of arguments_test.py is made of: right values, garbage and freed handles of
   every kind, and the calling of its cases, each in a child of its own, so that a case may crash or hang.

   arguments list             FUNCTION:CASE, one a line, numbered from 0; "alone " before those that cannot be
   forked arguments all              every case that is not alone: NUMBER OUTCOME, OUTCOME being what came of
   it arguments one NUMBER       that case in this very process, after its MPI_Init

   OUTCOME is signal-N, hangs, exit-N, or "rc CODE class CLASS: " and what was written to the results. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { most_parameters = 24, result_bytes = 4096 };
struct function {
  const char* name;
  int (*call)(int which);
  const char* const* cases;
  int count;
  int alone;
};
extern const struct function functions[];
extern const int function_count;

static uint64_t out[most_parameters][result_bytes / 8]; /* each parameter's place for results */
static char given[65536];
static int zeros[64], ones[64], one_range[1][3] = {{0, 0, 1}};
static int64_t long_zeros[64], long_ones[64];
static MPI_Status known_status;
static char* texts[] = {"text", NULL};
static char** program_arguments;
static int keyval, type_keyval, win_keyval;
static const char* file_name = "arguments.file";

static int callback(void) {
  return MPI_SUCCESS;
}

/* The recorder keeps its files from processes that are forked, and turns itself off in them (by
   pthread_atfork, which a bare system call goes past): those of the cases are to be recorded like their
   parent. */
static void share_recording(void) {
  char line[4096];
  unsigned long from, to;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, ".spool") != NULL && sscanf(line, "%lx-%lx", &from, &to) == 2)
      madvise((void*)from, to - from, MADV_DOFORK);
  if (maps != NULL) fclose(maps);
}
static pid_t fork_recorded(void) {
  return (pid_t)syscall(SYS_fork);
}

/* Of garbage handles: a number that is no handle, or the address of something that is none; of a file the
   address of nothing, since Open MPI would wait for a lock there, for ever. */
static uint64_t no_object[512];

#define KIND(kind, null_value)                                                                  \
  static MPI_##kind right_##kind, freed_##kind, garbage_##kind;                                 \
  static inline void* put_##kind(void* at, MPI_##kind value, int count) {                       \
    for (int i = 0; i < count; ++i) memcpy((char*)at + i * sizeof value, &value, sizeof value); \
    return at;                                                                                  \
  }                                                                                             \
  static inline void* put_##kind##_then(void* at, MPI_##kind first, MPI_##kind second) {        \
    put_##kind(at, second, 2);                                                                  \
    return put_##kind(at, first, 1);                                                            \
  }                                                                                             \
  static inline void tell_##kind(const void* at, MPI_##kind before, int count) {                \
    MPI_##kind value, null = null_value, untouched;                                             \
    memset(&untouched, 0x5a, sizeof untouched);                                                 \
    for (int i = 0; i < count; ++i) {                                                           \
      memcpy(&value, (const char*)at + i * sizeof value, sizeof value);                         \
      tell(memcmp(&value, &untouched, sizeof value) == 0        ? " untouched"                  \
           : memcmp(&value, &null, sizeof value) == 0           ? " null"                       \
           : memcmp(&value, &before, sizeof value) == 0         ? " same"                       \
           : memcmp(&value, &garbage_##kind, sizeof value) == 0 ? " garbage"                    \
                                                                : " other");                    \
    }                                                                                           \
  }

static char* told;
static size_t told_bytes;
static void tell(const char* text) {
  const size_t length = strlen(text);
  if (told_bytes + length + 1 < result_bytes)
    memcpy(told + told_bytes, text, length + 1), told_bytes += length;
}
static inline void tell_bytes(const void* at) {
  uint64_t hash = 0xcbf29ce484222325ull;
  char text[32];
  for (int i = 0; i < result_bytes; ++i) hash = (hash ^ ((const unsigned char*)at)[i]) * 0x100000001b3ull;
  snprintf(text, sizeof text, " %llx", (unsigned long long)hash);
  tell(text);
}
static inline void tell_written(const void* at) {
  unsigned char untouched[8];
  memset(untouched, 0x5a, sizeof untouched);
  tell(memcmp(at, untouched, 8) == 0 ? " untouched" : " written");
}
static inline void tell_statuses(const void* at) {
  for (int i = 0; i < 2; ++i) {
    MPI_Status status;
    char text[96];
    memcpy(&status, (const char*)at + i * sizeof status, sizeof status);
    snprintf(text, sizeof text, " %d/%d/%d", status.MPI_SOURCE, status.MPI_TAG, status.MPI_ERROR & 0xff);
    tell(text);
  }
}

KIND(Comm, MPI_COMM_NULL)
KIND(Datatype, MPI_DATATYPE_NULL)
KIND(Errhandler, MPI_ERRHANDLER_NULL)
KIND(File, MPI_FILE_NULL)
KIND(Group, MPI_GROUP_NULL)
KIND(Info, MPI_INFO_NULL)
KIND(Message, MPI_MESSAGE_NULL)
KIND(Op, MPI_OP_NULL)
KIND(Request, MPI_REQUEST_NULL)
KIND(Win, MPI_WIN_NULL)
#if MPI_VERSION >= 4
KIND(Session, MPI_SESSION_NULL)
#endif
static MPI_Comm cart, graph, neighbours;
static MPI_Win locked_win;
static MPI_Request idle_request;
static MPI_Datatype own_type;

#define GARBAGE(kind)                                                                    \
  do {                                                                                   \
    const uint64_t value = sizeof(MPI_##kind) == 4 ? 0x12345678u : (uintptr_t)no_object; \
    memcpy(&garbage_##kind, &value, sizeof(MPI_##kind));                                 \
  } while (0)

/* ARGUMENTS_OTHERWISE, bits: the library has other objects (1) before those of the cases and (2) where those were that are freed, and
   (4) its memory comes from what others used. A case that then ends otherwise depends on what is no argument of it. */
static int otherwise;

static void make_other_objects(void) {
  static int64_t memory_of_others[4];
  for (int i = 0; i < otherwise; ++i) {
    MPI_Comm comm;
    MPI_Group group;
    MPI_Datatype type;
    MPI_Win win;
    MPI_Info info;
    MPI_Request request;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Type_contiguous(7 + i, MPI_DOUBLE, &type);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_create(memory_of_others, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Info_create(&info);
    MPI_Recv_init(memory_of_others, 1, MPI_INT, 0, 8, comm, &request);
  }
}

static void use_memory(void) {
  void* used[64];
  for (int i = 0; i < 64; ++i) {
    const size_t bytes = (size_t)24 << i % 12;
    used[i] = malloc(bytes);
    if (used[i] != NULL) memset(used[i], 0x21 + otherwise, bytes);
  }
  for (int i = 0; i < 64; ++i)
    if (i % 3 != 0) free(used[i]);
}

/* Everything that the cases need, once; each child has a copy of its own. */
static void make_values(void) {
  static int data[64], memory[1024], other_memory[1024];
  const int one = 1, self = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int i = 0; i < 64; ++i) ones[i] = 1, long_ones[i] = 1;
  GARBAGE(Comm);
  GARBAGE(Datatype);
  GARBAGE(Errhandler);
  GARBAGE(File);
  if (sizeof(MPI_File) == 8) memcpy(&garbage_File, &(const uint64_t){64}, sizeof garbage_File);
  GARBAGE(Group);
  GARBAGE(Info);
  GARBAGE(Message);
  GARBAGE(Op);
  GARBAGE(Request);
  GARBAGE(Win);

  MPI_Comm_dup(MPI_COMM_WORLD, &freed_Comm);
  if (otherwise & 1) make_other_objects();
  MPI_Comm_dup(MPI_COMM_WORLD, &right_Comm);
  MPI_Comm_set_errhandler(right_Comm, MPI_ERRORS_RETURN);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &one, 0, &cart);
  MPI_Graph_create(MPI_COMM_WORLD, 1, &one, &self, 0, &graph);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &self, &one, 1, &self, &one, MPI_INFO_NULL, 0,
                                 &neighbours);

  right_Datatype = MPI_INT;
  MPI_Type_contiguous(2, MPI_INT, &own_type);
  MPI_Type_commit(&own_type);
  MPI_Type_contiguous(3, MPI_INT, &freed_Datatype);
  MPI_Comm_create_errhandler((void*)callback, &right_Errhandler);
  MPI_Comm_create_errhandler((void*)callback, &freed_Errhandler);
  MPI_Comm_group(MPI_COMM_WORLD, &right_Group);
  MPI_Group_incl(right_Group, 1, &self, &freed_Group);
  MPI_Info_create(&right_Info);
  MPI_Info_set(right_Info, "key", "value");
  MPI_Info_create(&freed_Info);
  right_Op = MPI_SUM;
  MPI_Op_create((void*)callback, 1, &freed_Op);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_keyval, NULL);

  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &right_Win);
  MPI_Win_create(other_memory, sizeof other_memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &locked_win);
  MPI_Win_set_errhandler(right_Win, MPI_ERRORS_RETURN);
  MPI_Win_set_errhandler(locked_win, MPI_ERRORS_RETURN);
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &freed_Win);
  MPI_Win_lock_all(0, locked_win);
  MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &right_File);
  MPI_File_open(MPI_COMM_WORLD, "arguments.freed", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &freed_File);

  /* Messages to oneself, so that no receive waits: a status, a matched one, open operations, and those that
     the cases receive. */
  MPI_Request sent;
  MPI_Message message;
  MPI_Isend(data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &sent);
  MPI_Recv(data + 1, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &known_status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Isend(data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(0, 3, MPI_COMM_WORLD, &right_Message, MPI_STATUS_IGNORE);
  MPI_Isend(data, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(0, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  freed_Message = message;
  MPI_Mrecv(data + 1, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Isend(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &right_Request);
  MPI_Irecv(data + 1, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &sent);
  MPI_Recv_init(data, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &idle_request);
  MPI_Recv_init(data, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &freed_Request);
  const MPI_Comm places[] = {MPI_COMM_WORLD, right_Comm, cart, graph, neighbours};
  for (int i = 0; i < 5; ++i) MPI_Isend(given, 1, MPI_INT, 0, 1, places[i], &sent);

#define FREED(kind, free_it)          \
  do {                                \
    MPI_##kind handle = freed_##kind; \
    free_it(&handle);                 \
  } while (0)
  FREED(Comm, MPI_Comm_free);
  FREED(Datatype, MPI_Type_free);
  FREED(Errhandler, MPI_Errhandler_free);
  FREED(File, MPI_File_close);
  FREED(Group, MPI_Group_free);
  FREED(Info, MPI_Info_free);
  FREED(Op, MPI_Op_free);
  FREED(Request, MPI_Request_free);
  FREED(Win, MPI_Win_free);
  if (otherwise & 2) make_other_objects(); /* what was freed is not as it was left */
#if MPI_VERSION >= 4
  GARBAGE(Session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &right_Session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &freed_Session);
  FREED(Session, MPI_Session_finalize);
#endif
}

/* What the process would die of, it dies of, without a report on the way. */
static void die_plainly(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGPROF};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) signal(signals[i], SIG_DFL);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 2);
}

/* Ends a call that waits for ever, whether it polls or sleeps; what the machine does meanwhile is no reason.
 */
static void limit(int polling_ms, int sleeping_s) {
  const struct itimerval polling = {{0, 0}, {polling_ms / 1000, polling_ms % 1000 * 1000}};
  setitimer(ITIMER_PROF, &polling, NULL);
  alarm((unsigned)sleeping_s);
}

static void run_case(const struct function* function, int which) {
  char text[64];
  int error_class = MPI_SUCCESS;
  memset(out, 0x5a, sizeof out);
  told_bytes = 0;
  char* const place = told;
  char results[result_bytes] = "";
  told = results;
  const int rc = function->call(which);
  told = place;
  MPI_Error_class(rc, &error_class);
#ifdef OPEN_MPI
  const int code = rc;
#else
  const int code = rc & 0x7ffff; /* without the place among the latest errors, whose texts MPICH keeps */
#endif
  told_bytes = 0;
  snprintf(text, sizeof text, "rc %d class %d:", code, error_class);
  tell(text);
  tell(results);
}

static int find_case(int number, int* function, int* which) {
  for (*function = 0; *function < function_count; ++*function) {
    if (number < functions[*function].count) return *which = number, 1;
    number -= functions[*function].count;
  }
  return 0;
}

static void in_child(int number, const struct function* function, int which, FILE* report) {
  told[0] = 0;
  const pid_t child = fork_recorded();
  if (child == 0) {
    limit(60, 2);
    run_case(function, which);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal_number == SIGALRM || signal_number == SIGPROF)
    fprintf(report, "%d hangs\n", number);
  else if (signal_number != 0)
    fprintf(report, "%d signal-%d\n", number, signal_number);
  else if (WEXITSTATUS(status) != 0)
    fprintf(report, "%d exit-%d\n", number, WEXITSTATUS(status));
  else
    fprintf(report, "%d %s\n", number, told);
  fflush(report);
}

int main(int argc, char** argv) {
  int function, which, number = 0, provided;
  if (argc < 2) return 2;
  if (strcmp(argv[1], "list") == 0) {
    for (function = 0; function < function_count; ++function)
      for (which = 0; which < functions[function].count; ++which)
        printf("%s%s:%s\n", functions[function].alone ? "alone " : "", functions[function].name,
               functions[function].cases[which]);
    return 0;
  }
  program_arguments = argv;
  FILE* const report = fdopen(dup(1), "w");
  told = mmap(NULL, result_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int one = strcmp(argv[1], "one") == 0 && argc > 2;
  if (one && !find_case(atoi(argv[2]), &function, &which)) return 2;
  otherwise = getenv("ARGUMENTS_OTHERWISE") == NULL ? 0 : atoi(getenv("ARGUMENTS_OTHERWISE"));
  if (otherwise & 4) use_memory();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  make_values();
  die_plainly();
  share_recording();
  fprintf(report, "ready\n");
  fflush(report);
  if (one) {
    limit(500, 5);
    run_case(&functions[function], which);
    fprintf(report, "%s\n", told);
    fflush(report);
    _exit(0);
  }
  for (function = 0; function < function_count; ++function)
    for (which = 0; which < functions[function].count; ++which, ++number)
      if (!functions[function].alone) in_child(number, &functions[function], which, report);
  fprintf(report, "end\n");
  fflush(report);
  _exit(0);
}
#endif

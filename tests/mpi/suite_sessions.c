/* Programs that open sessions and never call MPI_Init, or both; by the first argument after the prefix:
   only: two sessions, one inside the other; before, after: MPI_Init while a session is open, a session inside
   MPI_Init; the last of them to end ends the recording. */
#include "suite.h"

static void begin_counts(const char* prefix) {
  char name[512];
  snprintf(name, sizeof name, "%s.%d", prefix, rank);
  suite_counts = fopen(name, "w");
  if (suite_counts == NULL) exit(4);
}

/* Of mpi://WORLD: known only when the session is open, so that what told it is written down afterwards. */
static MPI_Group world_of(MPI_Session session) {
  MPI_Group group;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_rank(group, &rank);
  MPI_Group_size(group, &ranks);
  return group;
}
static void note_world(void) {
  fprintf(suite_counts, "call MPI_Group_from_session_pset\ncall MPI_Group_rank\ncall MPI_Group_size\n");
}

/* A ring and a sum. */
static void work(MPI_Comm comm, int tag) {
  const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
  int value = -1, sum = 0;
  MPI_Request requests[2];
  DO(Irecv, &value, 1, MPI_INT, before, tag, comm, &requests[0]);
  DO(Isend, &rank, 1, MPI_INT, after, tag, comm, &requests[1]), sent(after, tag, 4);
  DO(Waitall, 2, requests, MPI_STATUSES_IGNORE), received(before, tag, 4);
  HOLDS(value == before);
  DO(Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, comm), collective("Allreduce", 4, 4);
  HOLDS(sum == ranks * (ranks - 1) / 2);
}

static MPI_Comm comm_of(MPI_Group group, const char* name) {
  MPI_Comm comm;
  DO(Comm_create_from_group, group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  return comm;
}

static void in_session(MPI_Session session, MPI_Group group, int tag) {
  MPI_Comm comm = comm_of(group, tag == 1 ? "one" : "other"), copy;
  work(comm, tag);
  DO(Comm_dup, comm, &copy), collective("communicator", 0, 0);
  work(copy, tag + 10);
  DO(Comm_free, &copy), collective("communicator", 0, 0);
  DO(Comm_free, &comm), collective("communicator", 0, 0);
}

int main(int argc, char** argv) {
  MPI_Session first, second;
  MPI_Group group, other;
  const char* how = argv[2];
  if (strcmp(how, "after") == 0) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    begin_counts(argv[1]);
    fprintf(suite_counts, "call MPI_Init\ncall MPI_Comm_rank\ncall MPI_Comm_size\n");
    DO(Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    group = world_of(first), note_world();
  } else {
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    group = world_of(first);
    begin_counts(argv[1]);
    fprintf(suite_counts, "call MPI_Session_init\n"), note_world();
  }
  in_session(first, group, 1);
  if (strcmp(how, "only") == 0) {
    DO(Session_init, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    other = world_of(second), note_world();
    in_session(second, other, 2);
    in_session(first, group, 3);
    DO(Group_free, &other);
    DO(Session_finalize, &second);
    in_session(first, group, 4);
  } else if (strcmp(how, "before") == 0) {
    DO(Init, NULL, NULL);
    work(MPI_COMM_WORLD, 5);
    work(MPI_COMM_WORLD, 6);
    DO(Finalize);
    in_session(first, group, 7);
  }
  DO(Group_free, &group);
  if (strcmp(how, "after") == 0) {
    DO(Session_finalize, &first);
    work(MPI_COMM_WORLD, 8);
    fprintf(suite_counts, "call MPI_Finalize\n");
  } else {
    fprintf(suite_counts, "call MPI_Session_finalize\n");
  }
  fclose(suite_counts);
  printf("rank %d: %d failures\n", rank, failures);
  fflush(stdout);
  if (strcmp(how, "after") == 0)
    MPI_Finalize();
  else
    MPI_Session_finalize(&first);
  return failures != 0;
}

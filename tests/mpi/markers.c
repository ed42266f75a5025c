/* markers [PART]: two ranks say what markers_test.py expects, as markers_fortran.F90 does; in C and in C++.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <whatwire/marker.h>

static void* work(void* unused) {
  ww_region_begin("worker");
  ww_value_int("by worker", 7);
  ww_region_end("worker");
  return unused;
}

int main(int argc, char** argv) {
  int rank, i, sum = 1;
  char name[16] = "double";
  pthread_t worker;
  ww_marker("too early");
  ww_region_begin("early");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ww_marker("begun");
  ww_dilate(4); /* which does nothing here */
  ww_region_begin("steps");
  for (i = 0; i < 3; ++i) {
    ww_region_begin("step");
    ww_value_double(name, 1.0 / (1 << i));
    ww_value_float("float", 0.5f * (float)i);
    ww_value_long("long", -10000000000L * i);
    ww_value_int("int", i - 1);
    ww_value_short("short", (short)-i);
    ww_value_char("char", (char)('a' + i));
    usleep(20000);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    ww_region_end("step");
  }
  name[0] = 'x'; /* the text was copied */
  ww_region_end("steps");
  for (i = 0; i < 6; ++i) {
    char message[64] = "";
    if (i == 2) {
      ww_pause();
      ww_marker("while paused");
    }
    if (i == 4) ww_resume();
    if (rank == 0) MPI_Send(message, 8 * (i + 1), MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(message, sizeof message, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  ww_region_begin("outer");
  ww_region_begin("inner");
  ww_region_end("outer");
  ww_region_end("inner");
  ww_region_end("never begun");
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  if (argc >
      1) { /* a library that was linked with its own copy of the stub, and finds its own symbols first */
    void* part = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void (*say)(void) = part == NULL ? NULL : (void (*)(void))dlsym(part, "say");
    if (say == NULL) return 3;
    say();
  }
  MPI_Finalize();
  ww_region_end("early");
  ww_marker("too late");
  printf("rank %d: %d\n", rank, sum);
  fflush(stdout);
  if (rank > 0) return 0;
  usleep(300000); /* the launcher ends the other rank when one returns an error */
  return 5;
}

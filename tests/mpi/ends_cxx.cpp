// How a C++ program may end: ends_cxx WAY.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

namespace {
struct Finalizer {  // the last object to go
  bool wanted = false;
  ~Finalizer() {
    if (wanted) MPI_Finalize();
  }
} finalizer;
}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  int rank = 0, one = 1, provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  puts("before the end");
  fflush(stdout);
  if (way == "return") return 3;
  if (way == "exit") exit(4);
  if (way == "quick_exit") quick_exit(5);
  if (way == "uncaught") throw std::runtime_error("nobody catches this");
  if (way == "abort") MPI_Abort(MPI_COMM_WORLD, 6);
  if (way == "abort_in_thread") std::thread([] { MPI_Abort(MPI_COMM_WORLD, 7); }).join();
  if (way == "exit_in_thread") std::thread([] { exit(8); }).join();
  finalizer.wanted = true;  // finalize
  return 9;
}

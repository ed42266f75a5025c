// What recording costs a call: loops of MPI calls, once through the recorder (MPI_x) and once past it
// (PMPI_x), in turns in one process, beside the floor: two reads of the counter and one 48-byte store to a
// mapped page. Started with the recorder preloaded by run.py, one rank. Prints one JSON object.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "interpose/core/spool_format.hpp"

namespace {

using ww::spool::Record;

constexpr int repetitions = 10;
constexpr int rounds = 100000;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class Body>
double ns_per_round(Body&& body) {
  const double begin = seconds();
  for (int i = 0; i < rounds; ++i) body();
  return (seconds() - begin) * 1e9 / rounds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

void store(Record* place, uint64_t enter) {
  Record record{};
  record.enter_ticks = enter;
  record.leave_ticks = __rdtsc();
  record.call = 1;
  memcpy(place, &record, sizeof record);
  asm volatile("" ::: "memory");
}

struct Loop {
  const char* name;
  int calls;  // recorded calls a round
  std::vector<double> bare, recorded;
};

void print(const Loop& loop, double floor_ns, bool last) {
  std::vector<double> extra;
  for (int i = 0; i < repetitions; ++i)
    extra.push_back((loop.recorded[static_cast<size_t>(i)] - loop.bare[static_cast<size_t>(i)]) / loop.calls);
  const auto [least, most] = std::minmax_element(extra.begin(), extra.end());
  printf(
      "\"%s\":{\"calls_per_round\":%d,\"bare_ns\":%.2f,\"extra_ns_per_call\":%.2f,\"least\":%.2f,\"most\":%."
      "2f,"
      "\"floors\":%.2f}%s",
      loop.name, loop.calls, median(loop.bare) / loop.calls, median(extra), *least, *most,
      median(extra) / floor_ns, last ? "" : ",");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int self = 0, flag = 0, in = 0, out = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Request requests[2];

  const size_t page_bytes = 4096, file_bytes = sizeof(Record) * rounds;
  char name[] = "./record-overhead-XXXXXX";
  const int file = mkstemp(name);
  if (file < 0 || ftruncate(file, static_cast<off_t>(file_bytes)) != 0) return 1;
  auto* page = static_cast<Record*>(mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  unlink(name);
  if (page == MAP_FAILED) return 1;

  Loop iprobe{"iprobe", 1, {}, {}}, nowhere{"isend_irecv_waitall_proc_null", 3, {}, {}},
      to_self{"isend_irecv_waitall_self", 3, {}, {}};
  std::vector<double> floor;
  const auto trio = [&](auto isend, auto irecv, auto waitall, int peer) {
    isend(&out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[0]);
    irecv(&in, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]);
    waitall(2, requests, MPI_STATUSES_IGNORE);
  };
  for (int i = -1; i < repetitions; ++i) {  // the first one warms up
    const auto keep = [i](std::vector<double>& values, double ns) {
      if (i >= 0) values.push_back(ns);
    };
    size_t at = 0;
    keep(floor, ns_per_round([&] {
           store(page + at, __rdtsc());
           at = (at + 1) % (page_bytes / sizeof(Record));
         }));
    keep(iprobe.bare, ns_per_round([&] { PMPI_Iprobe(self, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); }));
    keep(iprobe.recorded,
         ns_per_round([&] { MPI_Iprobe(self, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); }));
    for (Loop* loop : {&nowhere, &to_self}) {
      const int peer = loop == &nowhere ? MPI_PROC_NULL : self;
      keep(loop->bare, ns_per_round([&] { trio(PMPI_Isend, PMPI_Irecv, PMPI_Waitall, peer); }));
      keep(loop->recorded, ns_per_round([&] { trio(MPI_Isend, MPI_Irecv, MPI_Waitall, peer); }));
    }
  }
  const double floor_ns = median(floor);
  printf("{\"floor_ns\":%.2f,\"rounds\":%d,\"repetitions\":%d,\"loops\":{", floor_ns, rounds, repetitions);
  print(iprobe, floor_ns, false);
  print(nowhere, floor_ns, false);
  print(to_self, floor_ns, true);
  printf("}}\n");
  MPI_Finalize();
  return 0;
}

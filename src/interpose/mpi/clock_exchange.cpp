#include "interpose/mpi/clock_exchange.hpp"

#include <stdlib.h>
#include <string.h>

#include "base/hash.hpp"
#include "interpose/core/clock_threads.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/wire_clock.hpp"
#include "interpose/mpi/comms.hpp"

namespace ww::interpose {

namespace {

constexpr int tag = 7;

void answer(MPI_Comm comm, int rank) {
  for (int i = 0; i < RoundTrips::most; ++i) {
    char ask = 0;
    PMPI_Recv(&ask, 1, MPI_CHAR, rank, tag, comm, MPI_STATUS_IGNORE);
    uint64_t now = ticks();
    PMPI_Send(&now, 1, MPI_UINT64_T, rank, tag, comm);
  }
}

ClockSample ask_root(MPI_Comm comm) {
  RoundTrips trips;
  for (int i = 0; i < RoundTrips::most; ++i) {
    char ask = 0;
    uint64_t theirs = 0;
    const uint64_t before = ticks();
    PMPI_Send(&ask, 1, MPI_CHAR, 0, tag, comm);
    PMPI_Recv(&theirs, 1, MPI_UINT64_T, 0, tag, comm, MPI_STATUS_IGNORE);
    trips.add(before, theirs, theirs, ticks());
  }
  return trips.result();
}

// One rank for each counter asks, for all that share it. `asks`: this is such a rank. False: no memory.
bool ask_for_all(MPI_Comm comm, bool same, ClockSample& sample, bool& asks) {
  int place = 0;
  MPI_Comm sharing = counter_comm(comm);
  PMPI_Comm_rank(sharing, &place);
  asks = !same && place == 0;
  const int ranks = world_comm.size;
  auto* asking =
      world_comm.rank == 0 ? static_cast<int*>(calloc(static_cast<size_t>(ranks), sizeof(int))) : nullptr;
  int ready = world_comm.rank != 0 || asking != nullptr ? 1 : 0;
  PMPI_Bcast(&ready, 1, MPI_INT, 0, comm);
  if (ready != 0) {
    int own = asks ? 1 : 0;
    PMPI_Gather(&own, 1, MPI_INT, asking, 1, MPI_INT, 0, comm);
    if (world_comm.rank == 0) {
      for (int rank = 1; rank < ranks; ++rank)
        if (asking[rank] != 0) answer(comm, rank);
      free(asking);
    }
    ClockSample found = asks ? ask_root(comm) : ClockSample{};
    PMPI_Bcast(&found, sizeof found, MPI_BYTE, 0, sharing);
    if (!same) sample = found;
  }
  PMPI_Comm_free(&sharing);
  return ready != 0;
}

}  // namespace

// By 62 bits of the name's hash, since a colour has 31 and machines are many.
MPI_Comm counter_comm(MPI_Comm comm) {
  const uint64_t hash = fnv1a(counter_name());
  MPI_Comm coarse = MPI_COMM_NULL, fine = MPI_COMM_NULL;
  PMPI_Comm_split(comm, static_cast<int>(hash & 0x7fffffff), world_comm.rank, &coarse);
  PMPI_Comm_split(coarse, static_cast<int>((hash >> 31) & 0x7fffffff), world_comm.rank, &fine);
  PMPI_Comm_free(&coarse);
  return fine;
}

void exchange_clocks(MPI_Comm comm, ClockExchange when, double ticks_per_s) {
  if (comm == MPI_COMM_NULL) return;
  const bool at_init = when == ClockExchange::init;
  if (at_init) name_counter(world_comm.rank);
  char root[64] = {};
  strncpy(root, counter_name(), sizeof root - 1);
  PMPI_Bcast(root, sizeof root, MPI_CHAR, 0, comm);
  const bool same = strcmp(root, counter_name()) == 0;
  int own = same ? 1 : 0, all_same = 0;
  PMPI_Allreduce(&own, &all_same, 1, MPI_INT, MPI_MIN, comm);
  ClockSample sample;
  sample.at_ticks = ticks();
  bool asks = false;
  if (all_same == 0 && !ask_for_all(comm, same, sample, asks)) return;
  write_clock(at_init ? "init" : "finalize", sample, same, nullptr);
  if (at_init) {
    double root_ticks_per_s = ticks_per_s;
    PMPI_Bcast(&root_ticks_per_s, 1, MPI_DOUBLE, 0, comm);
    begin_wire_clock(same, ticks_per_s > 0 ? root_ticks_per_s / ticks_per_s - 1 : 0, sample);
  }
  if (!at_init || all_same != 0) return;
  ClockMeeting meeting = world_comm.rank == 0 ? answer_clocks(clock_interval_s()) : ClockMeeting{};
  PMPI_Bcast(&meeting, sizeof meeting, MPI_BYTE, 0, comm);
  if (asks) ask_clocks(meeting, world_comm.rank);
}

}  // namespace ww::interpose

#include "interpose/mpi/clock_exchange.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/hosts.hpp"

namespace ww::interpose {

namespace {

constexpr int rounds = 20;
constexpr int tag = 7;

// What identifies a counter: the boot, and which clock is read.
struct Identity {
  char boot_id[40];
  char counter;
};

void answer(MPI_Comm comm, int rank) {
  for (int i = 0; i < rounds; ++i) {
    char ask = 0;
    PMPI_Recv(&ask, 1, MPI_CHAR, rank, tag, comm, MPI_STATUS_IGNORE);
    uint64_t now = ticks();
    PMPI_Send(&now, 1, MPI_UINT64_T, rank, tag, comm);
  }
}

// Rank 0's reading is taken to have been made in the middle of the round trip; it may be off by half of it.
void ask_root(MPI_Comm comm, int64_t& offset, int64_t& uncertainty) {
  uint64_t quickest = ~0ull;
  for (int i = 0; i < rounds; ++i) {
    char ask = 0;
    uint64_t theirs = 0;
    const uint64_t before = ticks();
    PMPI_Send(&ask, 1, MPI_CHAR, 0, tag, comm);
    PMPI_Recv(&theirs, 1, MPI_UINT64_T, 0, tag, comm, MPI_STATUS_IGNORE);
    const uint64_t after = ticks();
    if (after - before >= quickest) continue;
    quickest = after - before;
    offset = static_cast<int64_t>(theirs - (before + quickest / 2));
    uncertainty = static_cast<int64_t>(quickest / 2 + 1);
  }
}

// The ranks that share this rank's counter, in the order of their ranks. By 62 bits of the identity's hash,
// since a colour has 31 and machines are many.
MPI_Comm counter_comm(MPI_Comm comm, const Identity& own) {
  char text[sizeof own.boot_id + 2] = {};
  text[0] = own.counter != 0 ? 't' : 'm';
  memcpy(text + 1, own.boot_id, sizeof own.boot_id);
  const uint64_t hash = hash_of(text);
  MPI_Comm coarse = MPI_COMM_NULL, fine = MPI_COMM_NULL;
  PMPI_Comm_split(comm, static_cast<int>(hash & 0x7fffffff), world_comm.rank, &coarse);
  PMPI_Comm_split(coarse, static_cast<int>((hash >> 31) & 0x7fffffff), world_comm.rank, &fine);
  PMPI_Comm_free(&coarse);
  return fine;
}

}  // namespace

void exchange_clocks(MPI_Comm comm, const char* when) {
  if (comm == MPI_COMM_NULL) return;
  Identity own{}, root{};
  read_boot_id(own.boot_id, sizeof own.boot_id);
  own.counter = counter_is_clock ? 1 : 0;
  root = own;
  PMPI_Bcast(&root, sizeof root, MPI_BYTE, 0, comm);
  const bool equal = own.boot_id[0] != 0 && memcmp(&own, &root, sizeof own) == 0;
  int same = equal || world_comm.rank == 0 ? 1 : 0;
  int all_same = 0;
  PMPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, comm);
  int64_t offset = 0, uncertainty = 0;
  if (all_same == 0) {
    // One rank for each counter asks, for all that share it; a rank that cannot tell its boot asks for
    // itself.
    int place = 0;
    if (own.boot_id[0] == 0) snprintf(own.boot_id, sizeof own.boot_id, "rank %d", world_comm.rank);
    MPI_Comm sharing = counter_comm(comm, own);
    PMPI_Comm_rank(sharing, &place);
    int asks = same == 0 && place == 0 ? 1 : 0;
    const int ranks = world_comm.size;
    auto* asking =
        world_comm.rank == 0 ? static_cast<int*>(calloc(static_cast<size_t>(ranks), sizeof(int))) : nullptr;
    int ready = world_comm.rank != 0 || asking != nullptr ? 1 : 0;
    PMPI_Bcast(&ready, 1, MPI_INT, 0, comm);
    if (ready != 0) {
      PMPI_Gather(&asks, 1, MPI_INT, asking, 1, MPI_INT, 0, comm);
      if (world_comm.rank == 0) {
        for (int rank = 1; rank < ranks; ++rank)
          if (asking[rank] != 0) answer(comm, rank);
        free(asking);
      } else if (asks != 0) {
        ask_root(comm, offset, uncertainty);
      }
      int64_t found[2] = {offset, uncertainty};
      PMPI_Bcast(found, 2, MPI_INT64_T, 0, sharing);
      if (same == 0) offset = found[0], uncertainty = found[1];
    }
    PMPI_Comm_free(&sharing);
    if (ready == 0) return;
  }
  const ClockPair now = clock_pair();
  Line("clock")
      .text("when", when)
      .number("ticks", static_cast<int64_t>(now.ticks))
      .number("root_ticks_offset", offset)
      .number("uncertainty_ticks", uncertainty)
      .boolean("same_clock", same != 0)
      .number("monotonic_ns", static_cast<int64_t>(now.monotonic_ns))
      .write();
}

}  // namespace ww::interpose

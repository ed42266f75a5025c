#include "interpose/mpi/clock_exchange.hpp"

#include <stdlib.h>
#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/mpi/comms.hpp"

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
    const int ranks = world_comm.size;
    auto* shares =
        world_comm.rank == 0 ? static_cast<int*>(calloc(static_cast<size_t>(ranks), sizeof(int))) : nullptr;
    int ready = world_comm.rank != 0 || shares != nullptr ? 1 : 0;
    PMPI_Bcast(&ready, 1, MPI_INT, 0, comm);
    if (ready == 0) return;
    PMPI_Gather(&same, 1, MPI_INT, shares, 1, MPI_INT, 0, comm);
    if (world_comm.rank == 0) {
      for (int rank = 1; rank < ranks; ++rank)
        if (shares[rank] == 0) answer(comm, rank);
      free(shares);
    } else if (same == 0) {
      ask_root(comm, offset, uncertainty);
    }
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

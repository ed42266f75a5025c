#include "interpose/mpi/far_departures.hpp"

#include <stdlib.h>
#include <sys/mman.h>

#include "interpose/core/thread.hpp"
#include "interpose/core/wire_clock.hpp"

namespace ww::interpose {

namespace {

constexpr int tag = 11;

struct Wire {
  Stamp stamp;
  uint64_t lost;  // stamps of this sender cannot be told apart from now on
};

MPI_Comm own_comm = MPI_COMM_NULL;
int ranks = 0;
int *told = nullptr, *heard = nullptr;  // by rank: stamps sent, and received
void* rings = nullptr;
size_t rings_bytes = 0;
int sending = 0, receiving = 0;  // locks

// On their way. A send of so few bytes is complete when it returns, or soon.
constexpr int most_outgoing = 1024;
struct Outgoing {
  MPI_Request request;
  Wire wire;
};
Outgoing* outgoing = nullptr;
int next_outgoing = 0;

// Messages that were received before their stamps.
struct Owed {
  uint64_t comm;
  int32_t from, tag;
};
constexpr int most_owed = 64;
Owed owed[most_owed];
int owed_count = 0;

bool was_owed(int from, const Stamp& stamp) {
  for (int i = 0; i < owed_count; ++i)
    if (owed[i].from == from && owed[i].comm == stamp.comm && owed[i].tag == stamp.tag) {
      owed[i] = owed[--owed_count];
      return true;
    }
  return false;
}

void take_in(int from, const Wire& wire) {
  ++heard[from];
  if (wire.lost != 0) return lose_far_stamps_from(from);
  if (!was_owed(from, wire.stamp)) put_far_stamp(from, wire.stamp);
}

void drain() {
  for (;;) {
    int found = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (PMPI_Improbe(MPI_ANY_SOURCE, tag, own_comm, &found, &message, &status) != MPI_SUCCESS || found == 0)
      return;
    Wire wire{};
    PMPI_Mrecv(&wire, sizeof wire, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    take_in(status.MPI_SOURCE, wire);
  }
}

void send(int rank, const Wire& wire) {
  Outgoing& slot = outgoing[next_outgoing++ % most_outgoing];
  if (slot.request != MPI_REQUEST_NULL) PMPI_Wait(&slot.request, MPI_STATUS_IGNORE);
  slot.wire = wire;
  if (PMPI_Isend(&slot.wire, sizeof wire, MPI_BYTE, rank, tag, own_comm, &slot.request) == MPI_SUCCESS)
    ++told[rank];
}

}  // namespace

void begin_far_departures(MPI_Comm comm) {
  PMPI_Comm_size(comm, &ranks);
  const auto count = static_cast<size_t>(ranks);
  rings_bytes = far_stamp_memory(ranks);
  rings =
      mmap(nullptr, rings_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  told = static_cast<int*>(calloc(2 * count, sizeof(int)));
  outgoing = static_cast<Outgoing*>(malloc(sizeof(Outgoing) * most_outgoing));
  int ready = rings != MAP_FAILED && told != nullptr && outgoing != nullptr ? 1 : 0, all = 0;
  PMPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, comm);
  if (all == 0) return;
  heard = told + count;
  for (int i = 0; i < most_outgoing; ++i) outgoing[i].request = MPI_REQUEST_NULL;
  start_far_stamps(rings);
  PMPI_Comm_dup(comm, &own_comm);
  PMPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN);
}

void end_far_departures() {
  if (own_comm == MPI_COMM_NULL) return;
  stop_far_stamps();
  // Of messages that nobody received there are stamps under way: MPI wants them received.
  auto* const due = static_cast<int*>(malloc(sizeof(int) * static_cast<size_t>(ranks)));
  int ready = due != nullptr ? 1 : 0, all = 0;
  PMPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, own_comm);
  if (all != 0) {
    PMPI_Alltoall(told, 1, MPI_INT, due, 1, MPI_INT, own_comm);
    for (int rank = 0; rank < ranks; ++rank)
      for (Wire wire; heard[rank] < due[rank]; ++heard[rank])
        PMPI_Recv(&wire, sizeof wire, MPI_BYTE, rank, tag, own_comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < most_outgoing; ++i) PMPI_Wait(&outgoing[i].request, MPI_STATUS_IGNORE);
  }
  free(due);
  free(told);
  free(outgoing);
  told = heard = nullptr;
  PMPI_Comm_free(&own_comm);
  munmap(rings, rings_bytes);
}

void tell_far(int rank, const Stamp& stamp) {
  if (own_comm == MPI_COMM_NULL) return;
  Wire wire{stamp, 0};
  wire.stamp.when = wire_clock().to_root(stamp.when);
  const Locked locked(sending);
  send(rank, wire);
}

bool take_far(int rank, Stamp& stamp) {
  if (own_comm == MPI_COMM_NULL) return false;
  const Locked locked(receiving);
  drain();
  switch (take_far_stamp(rank, stamp)) {
    case Taken::yes:
      stamp.when = wire_clock().from_root(stamp.when);
      return true;
    case Taken::lost:
      return false;
    case Taken::none:
      break;
  }
  if (owed_count == most_owed)
    lose_far_stamps_from(rank);
  else
    owed[owed_count++] = {stamp.comm, rank, stamp.tag};
  return false;
}

void lose_far_to(int rank) {
  if (own_comm == MPI_COMM_NULL) return;
  const Locked locked(sending);
  send(rank, {{}, 1});
}

void lose_far_from(int rank) {
  if (own_comm != MPI_COMM_NULL) lose_far_stamps_from(rank);
}

}  // namespace ww::interpose

#include "interpose/mpi/hosts.hpp"

#include <stdlib.h>

#include "base/hash.hpp"

namespace ww::interpose {

namespace {

uint64_t* host_of_rank = nullptr;
int ranks = 0, own_rank = 0;

}  // namespace

void learn_hosts(MPI_Comm comm, const char* host_name) {
  PMPI_Comm_size(comm, &ranks);
  PMPI_Comm_rank(comm, &own_rank);
  host_of_rank = static_cast<uint64_t*>(malloc(sizeof(uint64_t) * static_cast<size_t>(ranks)));
  uint64_t own = fnv1a(host_name);
  uint64_t fallback = 0;  // every rank must take part, even one without memory
  PMPI_Allgather(&own, 1, MPI_UINT64_T, host_of_rank != nullptr ? host_of_rank : &fallback, 1, MPI_UINT64_T,
                 comm);
}

bool on_other_host(const KnownComm& comm, int rank) {
  if (host_of_rank == nullptr || rank < 0 || rank >= comm.other_size || comm.world_ranks == nullptr)
    return false;
  const int32_t world = comm.world_ranks[rank];
  return world < 0 || host_of_rank[world] != host_of_rank[own_rank];  // not of this world: started elsewhere
}

bool on_different_hosts(int32_t world_a, int32_t world_b) {
  if (host_of_rank == nullptr) return false;
  return world_a < 0 || world_b < 0 || host_of_rank[world_a] != host_of_rank[world_b];
}

int first_rank_on_host(int32_t world) {
  if (host_of_rank == nullptr || world < 0) return 0;
  int first = 0;
  while (host_of_rank[first] != host_of_rank[world]) ++first;
  return first;
}

bool any_on_other_host(const KnownComm& comm) {
  for (int rank = 0; rank < comm.other_size; ++rank)
    if (on_other_host(comm, rank)) return true;
  return false;
}

}  // namespace ww::interpose

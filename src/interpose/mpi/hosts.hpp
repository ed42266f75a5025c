// Which ranks share a host with this one; known only where messages are to be treated by it (dilation with
// injection).
#pragma once
#include <stdint.h>

#include "interpose/mpi/comms.hpp"

namespace ww::interpose {

// Exchanges the hosts' names (as hashes) over `comm`, a duplicate of MPI_COMM_WORLD. Collective.
void learn_hosts(MPI_Comm comm, const char* host_name);

// Rank `rank` of `comm`; false for ranks that are no process (MPI_PROC_NULL), and when hosts are not known.
bool on_other_host(const KnownComm& comm, int rank);
bool on_different_hosts(int32_t world_a, int32_t world_b);  // by ranks in the world; -1: outside of it
int first_rank_on_host(int32_t world);                      // which names the host; in the world
bool any_on_other_host(const KnownComm& comm);

}  // namespace ww::interpose

// Puts the ranks' clocks into relation: what must be added to a rank's ticks to get those of rank 0.
#pragma once
#include <mpi.h>

namespace ww::interpose {

// Collective over `comm`, a duplicate of MPI_COMM_WORLD. Ranks of the same boot of the same machine share the
// counter and need nothing; with the others rank 0 exchanges small messages, and the quickest round trip
// decides (Cristian, 1989). Writes the "clock" definition.
void exchange_clocks(MPI_Comm comm, const char* when);

}  // namespace ww::interpose

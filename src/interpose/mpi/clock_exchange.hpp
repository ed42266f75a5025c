// Puts the ranks' clocks into relation: what must be added to a rank's ticks to get those of rank 0.
#pragma once
#include <mpi.h>

namespace ww::interpose {

// Collective over `comm`, a duplicate of MPI_COMM_WORLD. Ranks of the same boot of the same machine share the
// counter: with one of each other boot rank 0 exchanges small messages, the quickest round trip decides
// (Cristian, 1989), and what it found holds for all ranks there. Writes the "clock" definition.
void exchange_clocks(MPI_Comm comm, const char* when);

}  // namespace ww::interpose

// Puts the ranks' clocks into relation: what must be added to a rank's ticks to get those of rank 0.
#pragma once
#include <mpi.h>

namespace ww::interpose {

enum class ClockExchange { init, finalize };

// Collective over `comm`, a duplicate of MPI_COMM_WORLD. Ranks of the same boot of the same machine share the
// counter: with one of each other boot rank 0 exchanges small messages (clock_sample.hpp), and what it found
// holds for all ranks there. Writes the "clock" definition. From the first on clocks are exchanged from time
// to time, until stop_clock_threads (clock_threads.hpp). `ticks_per_s`: of this rank's counter; matters at
// init.
void exchange_clocks(MPI_Comm comm, ClockExchange when, double ticks_per_s);

// The ranks that share this rank's counter, in the order of their ranks; after the exchange at init.
// Collective. The caller frees it.
MPI_Comm counter_comm(MPI_Comm comm);

}  // namespace ww::interpose

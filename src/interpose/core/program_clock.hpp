// What the program sees as time while it is dilated: t0 + (t - t0) / D from the return of MPI_Init on, so
// that what it prints about itself is already the answer. Inside calls of the message library clocks are
// real.
#pragma once
#include <stdint.h>

namespace ww::interpose {

void start_program_clock(double dilation);  // from now on time runs at 1 / D
void stop_program_clock();                  // from now on at its own rate again, without a step

// The program's reading of MPI_Wtime, `wtime` being the library's; pass `origin` of the same clock to both.
double program_wtime(double wtime);
void start_program_wtime(double wtime);
void stop_program_wtime(double wtime);

}  // namespace ww::interpose

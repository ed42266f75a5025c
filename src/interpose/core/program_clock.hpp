// What the program sees as time while it is dilated: t0 + (t - t0) / D from the return of MPI_Init on, so
// that what it prints about itself is already the answer: time of day, the machine's clocks, and the
// processor time of itself. Inside calls of the message library, and in its threads, clocks are real.
#pragma once
#include <stdint.h>
#include <time.h>

namespace ww::interpose {

// From now on time runs at 1 / D. since_ns: in virtual time, how long ago its 0 really was: what clocks said then is their 0 for all
// tasks.
void start_program_clock(double dilation, uint64_t since_ns = 0);
void change_program_rate(double dilation);  // at another rate, without a step; nothing where it never started
void stop_program_clock();                  // from now on at its own rate again, without a step

// The program's reading of MPI_Wtime, `wtime` being the library's; pass `origin` of the same clock to both.
double program_wtime(double wtime);
void start_program_wtime(
    double (*wtime)());  // the library's clock, which may be asked at any time from now on
void stop_program_wtime(double wtime);

// The calling thread is the program's, outside of MPI, and sees another time than the real one.
bool program_asks();
double program_rate();  // D; 1 before and after
// As the program sees the clock now; what it computed so far is stretched first.
int64_t program_now_ns(clockid_t id);
// When a clock, as the program sees it, will tell `seen_ns`: real, were nothing stretched until then.
int64_t real_deadline_ns(clockid_t id, int64_t seen_ns);
bool is_dilated_clock(clockid_t id);

}  // namespace ww::interpose

// D as the program sets it while it runs (ww_dilate in whatwire/marker.h), which is how the operating system of S3
// (NISTIR 4331, section 2) was told. The run's own D is in force until then.
#pragma once
#include "interpose/core/thread.hpp"

namespace ww::interpose {

// The run is dilated by that factor, above 1, and the program may set others.
void allow_own_dilation(double factor_of_run, bool wire_follows);

// From now on, or from when MPI_Init has returned. What the thread computed before is stretched as it was to be.
// 0: the run's own. Nothing where it is not allowed; what is no D is counted (Trouble::dilation_refused).
void set_own_dilation(double factor);

// MPI_Init is about to return, and what the program set before begins.
void begin_own_dilation();

}  // namespace ww::interpose

// When messages of tasks depart (core/stamps.hpp), and what a dilated task adds to them (core/injection.hpp). Tasks come and go and have no
// rank, so those of one kernel find each other by a file of the spool directory, whose first page says who has which place.
#pragma once
#include <stdint.h>

namespace ww::interpose {

// Of the task `tid`, which is enrolled. Where nothing can be shared nothing is stamped, and it is said.
void share_departures(const char* spool_dir, int tid);
void stop_sharing_departures();

// What of a receive is no waiting, by messages to oneself.
void measure_ready_receives(int tid, double ticks_per_s);

// Before a message goes to libpvm3: what is added there passes, and its departure is told.
void departing(int tid, int tag, uint64_t bytes);
// It did not go: the departures of later ones can no longer be told apart.
void not_departed(int tid);

// The call that was entered then has come back with a message: it is held back as that is on the other network.
// waits: it is no test.
void arrived(uint64_t entered, bool waits, int from, int tag, uint64_t bytes);

void make_progress();  // of what is open, while time passes inside a call

}  // namespace ww::interpose

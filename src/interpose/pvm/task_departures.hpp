// When messages of tasks depart (core/stamps.hpp), and what a dilated task adds to them (core/injection.hpp). Tasks come and go and have no
// rank, so those of one kernel find each other by a file of the spool directory, whose first page says who has which place.
#pragma once
#include <stdint.h>

#include "interpose/pvm/task.hpp"
#include "interpose/pvm/virtual_tasks.hpp"

namespace ww::interpose {

// Of the task `tid`, which is enrolled. Where nothing can be shared nothing is stamped, and it is said. virtually: in virtual time
// (virtual_tasks.hpp), which begins with that.
struct Sharing {
  const char* spool_dir;
  bool virtually;
  VirtualTasksPlan plan;
  double ticks_per_s;
};
void share_departures(const Sharing& how, int tid);
void stop_sharing_departures();

// What of a receive is no waiting, by messages to oneself.
void measure_ready_receives(int tid, double ticks_per_s);

// Before a message goes to libpvm3: what is added there passes, and its departure is told.
void departing(int tid, int tag, uint64_t bytes);
// It did not go: the departures of later ones can no longer be told apart.
void not_departed(int tid);

// The call that was entered then has come back with a message: it is held back as that is on the other network.
// waits: it is no test. asked_from, asked_tag: -1 for any.
void arrived(uint64_t entered, bool waits, const InBuffer& got, int asked_from, int asked_tag);
// In virtual time: a probe did.
void found(const InBuffer& there);

// Around a call that starts tasks.
void spawns();
void has_spawned(const int* tids, int count);

int own_virtual_host();  // 0 and up

void make_progress();  // of what is open, while time passes inside a call

}  // namespace ww::interpose

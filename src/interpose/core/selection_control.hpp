// What of a run is recorded, when that is not all of it (S5): calls by name, from a time on, up to a number
// of records, pauses; and recording that is on disk before a call returns. Whoever asks for none of these
// pays nothing: their records never come here.
//
// Messages keep their number, recorded or not. What is left out is counted by channel (communicator, peer,
// tag, direction) and the counts are put into the spool as left_out records before the next record, so that
// the n-th receive of a channel still finds its n-th send. A receive counts where it was posted, as MPI
// matches it; one that named no source counts where it completed, since nobody knows its channel before. If
// it is still open when recording begins, it is taken into the trace there. What was begun in the trace also
// ends in it, whatever is left out by then.
#pragma once
#include "interpose/core/spool_writer.hpp"

namespace ww::interpose {

extern bool durable;

struct RecordSelection {
  const char* calls = nullptr;  // names and classes by comma; nullptr: all
  double start_s = 0;
  uint64_t max_records = 0;  // 0: no limit
  bool on_disk = false;
};

// The calls of the library, by number: names[0] is no call; classes by name in `class_of`.
struct CallList {
  const char* const* names;
  const char* const* class_of;
  int count;
};

// Once, before the first record. `now`: the time from which start_s counts.
void select(const RecordSelection& selection, const CallList& calls, uint64_t now, double ticks_per_s);

// Of all threads, from any of them, at any time; before MPI_Init too.
void pause_recording();
void resume_recording();

// Whatever is asked for: what is needed to understand the rest.
void put_always(Spool& spool, const spool::Record& record);

// Puts the record if it is asked for, counts it if not.
void put_carefully(Spool& spool, const spool::Record& record);

}  // namespace ww::interpose

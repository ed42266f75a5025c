// The account of what was not recorded: messages and collectives by channel, and operations that are still
// open. Tables of fixed size; what does not fit is counted as a diagnostic. Callers hold one lock.
#pragma once
#include "interpose/core/spool_format.hpp"

namespace ww::interpose {

inline bool is_wildcard(const spool::Record& record) {
  return (record.flags & spool::flag_wildcard) != 0;
}

// The message or collective of this record was not recorded: one more, or (-1) one fewer, on its channel.
void count_left_out(const spool::Record& record, int more);

// The operation that this record begins was not recorded. It counts on its channel now, unless only its
// completion will tell which that is. `may_join`: then it may be taken into the trace later.
void begin_left_out(const spool::Record& record, bool may_join);
bool is_left_out(uint64_t operation);
// True if the operation was left out: gives the record that began it, and knows it no more.
bool forget_left_out(uint64_t operation, spool::Record& begun);

// What the spool must say before its next record, one by one: counts of channels, then (`with_receives`)
// receives from any source that are still open and may join. They count as recorded from then on. False:
// nothing more.
bool next_left_out(spool::Record& record, bool with_receives);

// The same of the channel of this record only, which is what it takes for the record to keep its number.
bool left_out_before(const spool::Record& next, spool::Record& record);
bool may_join();  // there is a receive that may join

}  // namespace ww::interpose

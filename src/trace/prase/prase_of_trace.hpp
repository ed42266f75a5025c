// A trace as PRASE would have recorded it (S5). Rank N is node N, pid 0. Its records, in the order in which they ended:
// * init at the begin of the program proper, end at its end.
// * sendw for a blocking send, from the entry of the call to its return; send for one that is not, likewise, as S5 takes no note of when the buffer is free.
// * recvw for a blocking receive; recv for one that is not, from the call that posted it to the return of the one in which it was there.
// * mlong and mdble for the program's values, mchar for its markers, of which 13 characters are kept.
// The message type is the tag, the channel is the communicator's number. Counts are those that the trace's matching goes by, of messages that were not recorded
// too. Times are whole milliseconds, rounded down, since the trace's first event.
//
// What has no place there: collectives, one-sided transfers, files, the program's regions, probes and tests, names of values and hosts, whether a receive named
// its sender. More than 32,767 bytes are said to be so many; types of messages are below 32,766 (S5 keeps two for itself), so that other tags, and those
// that several communicators have, get numbers that are free.
#pragma once
#include "trace/prase/prase_run.hpp"
#include "trace/trace.hpp"

namespace ww::prase {

// Of the trace or of the program; with `no-place-in-format` where something of the kinds above was left out or changed. Errors: more than 32,768 ranks.
Result<PraseRun> prase_of(const Trace& trace);

}  // namespace ww::prase

// Joins what the ranks recorded apart: sends with receives, members with collectives.
#pragma once
#include "trace/trace.hpp"

namespace ww {

// Fills messages, collectives, RankTrace::match, the unmatched and wildcard counts and their diagnostics from
// the other columns. Messages between the same two ranks with the same communicator and tag are matched in
// the order in which the sends began and the receives were posted (MPI's non-overtaking rule); wildcards
// count as what they received. A receive that was posted by name and never completed keeps its place in that
// order. The size of a message is what its sender says. Collectives are matched by their order on their
// communicator.
// The ranks are shared out to `threads` threads (0: one for each processor), with the same result whatever
// their number. Throws NoRoom.
void match(Trace& trace, std::size_t threads = 0);

}  // namespace ww

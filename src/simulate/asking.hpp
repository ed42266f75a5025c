// Calls that ask until something is there. A loop that does nothing else (MPI_Test, MPI_Iprobe, one of them or several in turn) waits: how
// often it asks follows from the network, and its end is what the last call found. One that computes in between is kept as
// recorded, since it would have computed as long on any network.
#pragma once
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace ww::simulate {

// Between a call that asked and the next that asks there is no computation if no more than this lies between them: an empty loop
// takes some 15 ns (AMG, hypre's exchange of data, and the recorder's own time is in it), one in Python half a microsecond.
inline constexpr std::int64_t nothing_between_ns = 1000;
// Of such a loop's calls no more may have more behind them: these are interrupts (some 100 us each, three in 5000 calls of AMG).
inline constexpr double interrupted = 0.1;

// By call: it found nothing, and it and what lies behind it up to the next call are part of a loop that ended with a call that found
// something. A loop that gave up (its last call found nothing) is no wait: that is as long on any network.
std::vector<bool> waits_by_asking(const Trace& trace, const RankTrace& rank);

}  // namespace ww::simulate

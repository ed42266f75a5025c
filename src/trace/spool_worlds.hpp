// Several MPI_COMM_WORLDs in one trace: a program that spawns others.
#pragma once
#include "trace/spool.hpp"

namespace ww::spool {

inline constexpr std::size_t most_ranks = std::size_t{1} << 20;

// Gives every rank its number in the trace (ranks come by world and rank in it) and puts these numbers into
// the definitions of communicators, members of other worlds included as far as they are known; those of
// spawned worlds get the exchanges of clocks of a rank that shares their counter. False: there are more than
// most_ranks.
bool join_worlds(std::vector<RankSpool>& ranks, Diagnostics& diagnostics);

}  // namespace ww::spool

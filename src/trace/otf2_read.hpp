// An OTF2 archive, of any tool, to columns.
#pragma once
#include "trace/trace.hpp"

namespace ww::otf2 {

// Everything but matching (trace/match.hpp) and what run.json adds. MPI calls with their records and what the
// program marked (user.hpp) are taken, of all threads of each process that is a rank (a member of MPI's
// COMM_LOCATIONS). Ranks are read side by side. Errors: not an archive, unreadable, truncated, no
// file for columns that are to be kept in one. Throws bad_alloc (NoRoom) where there is no room for columns.
Result<Trace> read_archive(const std::filesystem::path& anchor, const Loading& loading = {});

}  // namespace ww::otf2

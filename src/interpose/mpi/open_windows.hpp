// Windows: from handle to the id that the records carry.
#pragma once
#include "interpose/mpi/comms.hpp"

namespace ww::interpose {

struct KnownWindow {
  uint32_t id;  // also of the communicator of its members, which is the window's own
  MPI_Group group;
};

// Never fails: a window that is not known (made by a call that is not followed) is defined now, with a
// diagnostic.
const KnownWindow& known_window(MPI_Win win);
uint32_t window_made(MPI_Win win, Origin origin);  // defines it; its id
// Around the call that frees it, as with communicators. False: it is not known.
bool hide_window(MPI_Win win, KnownWindow& hidden);
void window_freed(MPI_Win win, KnownWindow& hidden);
void window_stays(MPI_Win win, const KnownWindow& hidden);
void window_named(MPI_Win win);

}  // namespace ww::interpose

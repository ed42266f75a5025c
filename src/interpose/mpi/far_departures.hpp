// Departures of messages to and from ranks that share no memory with this one, on other machines: the sender hands
// the stamp of a message (core/stamps.hpp) to the message library just before the message itself, over a
// communicator of the recorder's own, where it overtakes nothing. Stamps are in ticks of rank 0's counter on
// their way, and in those of the receiver's when they are taken, by the exchanges of clocks so far
// (core/wire_clock.hpp).
//
// A stamp that was not there when its message was complete is dropped when it comes, so that it is not taken for
// a later message's.
#pragma once
#include <mpi.h>

#include "interpose/core/stamps.hpp"
#include "interpose/mpi/comms.hpp"

namespace ww::interpose {

// Collective over `comm`, a duplicate of MPI_COMM_WORLD, while stamping, and before MPI_Finalize.
void begin_far_departures(MPI_Comm comm);
void end_far_departures();

// `rank`: in the world; `stamp.when` in own ticks.
void tell_far(int rank, const Stamp& stamp);
bool take_far(int rank, Stamp& stamp);
void lose_far_to(int rank);
void lose_far_from(int rank);

}  // namespace ww::interpose

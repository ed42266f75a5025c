// Large messages of dilated runs, between hosts: whether two that meet go at once or one after the other, and what stands still in TCP's windows, on
// the network asked for. The rules are those of virtual time (large_messages.hpp) on the run's own clock. What really went in another order here
// than there is over when the later of both is. Where ranks of several machines or threads at once send, each message goes by what its
// receiver sees of it alone (core/deadlines.hpp).
#pragma once
#include "interpose/mpi/large_messages.hpp"

namespace ww::interpose {

// Collective over `comm`, a duplicate of MPI_COMM_WORLD, while injecting, after share_stamps. `all_share`: by all ranks.
void begin_dilated_messages(MPI_Comm comm, bool all_share, int thread_level);

// While postings_told: of instants in ticks, on the clock of all ranks, which begins with the run.
double run_seconds(uint64_t at);
uint64_t run_ticks(double seconds);

// While postings_told. Before a message goes: its rank may stay in its latest wait.
void before_departure(const KnownComm& comm, int dest, uint64_t bytes);
// A message that would depart at `departs` (delay_departure): when it does.
uint64_t departs_in_turn(const KnownComm& comm, int dest, uint64_t bytes, uint64_t departs);
// It has that number of the pair's.
void departed_in_turn(const KnownComm& comm, int dest, int tag, uint64_t bytes, uint64_t departs,
                      uint32_t number);
void posts_in_turn(const KnownComm& comm, int source, int tag);
// When a message is to have come that was received; 0: as its receiver sees it.
uint64_t arrives_in_turn(const KnownComm& comm, int source, const Stamp& stamp, const Posting& posted,
                         bool wildcard);

}  // namespace ww::interpose

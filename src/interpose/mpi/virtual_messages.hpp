// Virtual time (core/virtual_clock.hpp) in terms of MPI. Nothing of this is called without virtual_time.
#pragma once
#include <mpi.h>

#include "interpose/core/stamps.hpp"
#include "interpose/core/virtual_clock.hpp"
#include "interpose/core/virtual_streams.hpp"
#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/language.hpp"
#include "interpose/mpi/large_messages.hpp"
#include "interpose/mpi/requests.hpp"
#include "patterns/pattern.hpp"

namespace ww::interpose {

struct VirtualPlan {
  double compute = 1;
  int ranks_per_host = 0;  // 0: the hosts are the real ones
};
// Collective over `comm`, a duplicate of MPI_COMM_WORLD, when stamps are shared. `all_share`: by all ranks.
void begin_virtual_time(MPI_Comm comm, const VirtualPlan& plan, bool all_share, int thread_level,
                        double ticks_per_s);

const MessageCosts& virtual_costs(const KnownComm& comm, int rank);  // between this rank and that one
const MessageCosts& virtual_costs(const KnownComm& comm, int from, int to);
int virtual_host(const KnownComm& comm, int rank);  // 0 to the world's size - 1

// Around a call that sends.
void departs_virtually(const KnownComm& comm, int dest, int tag, uint64_t bytes);
void waits_for_receiver(const KnownComm& comm, int dest, int tag, uint64_t bytes, bool synchronous);
void send_completes(const OpenOperation& operation);

// Before a call that posts a receive.
void posts_virtually(const KnownComm& comm, int source, int tag);
// Before a call that starts persistent requests, of each that begins then.
void begins_virtually(const KnownComm& comm, const OpenOperation& next);
// A message was received; `wildcard`: its receive named no source or no tag.
void arrives_virtually(VirtualArrivals& arrivals, const KnownComm& comm, int source, const Stamp& stamp,
                       const Posting& posted, bool wildcard);
void found_by_probe(const KnownComm& comm, const Received& got);

// Collectives: all tell each other when they entered, and who comes first plays the algorithm's messages for
// all. `given_to`: of an alltoallv or w, bytes for each rank.
void collective_virtually(const KnownComm& comm, uint16_t call, int root, uint64_t given, uint64_t got,
                          const patterns::Called<uint64_t(int)>& given_to);
void icollective_begins(const KnownComm& comm, uint16_t call, uint64_t serial, int root, uint64_t given,
                        uint64_t got);
void icollective_completes(const KnownComm& comm, uint64_t serial);
void all_meet_virtually(const KnownComm& comm);  // a call that is a barrier, too

}  // namespace ww::interpose

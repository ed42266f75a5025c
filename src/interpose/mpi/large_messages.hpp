// Large messages between ranks that share memory: which asks when, when its receive was posted, and so when its data go. Receivers tell senders
// when they posted (StampPlane::postings), one posting a message, in the order in which MPI matches them; those of wildcards when they are
// complete. Both sides ask by the streams of both (core/virtual_streams.hpp), and who asks first decides. All of it is on one clock of all
// ranks, in seconds: virtual time, or the real one of a dilated run, whose costs are D times the target's there (costs_wanted).
#pragma once
#include <mpi.h>

#include "interpose/core/stamps.hpp"
#include "interpose/core/virtual_streams.hpp"
#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/requests.hpp"

namespace ww::interpose {

extern bool postings_told;  // all that is here; else nothing of it is called

// `progress`: a duplicate of MPI_COMM_WORLD; the library goes on while a posting is awaited.
void start_large_messages(MPI_Comm progress);
void stop_large_messages();

const MessageCosts& costs_with(const KnownComm& comm, int rank);  // between this rank and that one
int sending_host(const KnownComm& comm, int rank);                // 0 to the world's size - 1
int own_place();
// When the request of a large message with that stamp was sent.
double requested_s_of(const Stamp& stamp);

// A message that departs; `number` of the pair's (put_stamp).
struct SentLarge {
  double when_s = 0;
  uint64_t number = 0;  // of its channel; 0: not a large message
  uint32_t number_of_pair = 0;
};
// The latest departure of this rank is none, or this one.
void departs_nowhere();
void note_departure_of(const KnownComm& comm, int dest, int tag, bool large, double when_s, uint32_t number);
const SentLarge& latest_sent();
void note_send(uint64_t serial);  // that the latest departure is of this operation
const SentLarge& sent_by(uint64_t serial);
// When the sender goes on: its system has the data, or it knows that they are there; 0 of a small message, unless the send is synchronous. Waits,
// in real time, until it is known when the receive was posted.
double send_ends_s(const KnownComm& comm, int dest, int tag, uint64_t bytes, const SentLarge& sent,
                   bool synchronous = false);

// A receive is posted then; of a named source and tag its sender is told.
void note_posted(const KnownComm& comm, int source, int tag, const Posting& posted);
void note_receive(uint64_t serial);  // that the latest posting is of this operation
Posting posted_at(uint64_t serial);
Posting posted_by_call();
void tell_posting(const KnownComm& comm, int source, int tag, const Posting& posted);
// A large message was received: its data's passage through their sender's port.
Passage received_large(const KnownComm& comm, int source, const Stamp& stamp, const Posting& posted);
// A message was received that was waited for.
void no_longer_awaited(const KnownComm& comm, int source, int tag);

// Requests that one call starts, in their order: before it, when their departure or posting has been noted, and after it.
void note_starting(bool sends);
void note_started(const OpenOperation& operation);

// What this rank has posted and not received, of named senders.
struct Awaited {
  const MessageCosts* costs;  // nullptr: nothing
  uint64_t comm;
  int place, host, tag;  // the sender's
  Posting posted;
};
inline constexpr int most_awaited = 64;
extern Awaited awaited[most_awaited];
// Asks of each from that rank, and whether it may wait in real time; stays(one, may_wait): it has waited for what did not come.
template <class Stays>
void stay_for_requests_of(int place, Stays&& stays) {
  bool may_wait = true;
  for (const Awaited& one : awaited)
    if (one.costs != nullptr && one.place == place && stays(one, may_wait)) may_wait = false;
}

}  // namespace ww::interpose

#include "interpose/mpi/large_messages.hpp"

#include <sched.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/mpi/departures.hpp"
#include "interpose/mpi/dilated_messages.hpp"
#include "interpose/mpi/hosts.hpp"
#include "interpose/mpi/virtual_messages.hpp"

namespace ww::interpose {

bool postings_told = false;
Awaited awaited[most_awaited];

namespace {

MPI_Comm progress_comm = MPI_COMM_NULL;
int next_awaited = 0;

// Of operations by serial; those that are open are fewer.
constexpr uint64_t kept = 1u << 18;
Posting posted_of[kept];
SentLarge sent_of[kept];
Posting call_posted;
SentLarge latest{};

// What this rank sends to one receiver over one communicator with one tag: messages sent, postings taken.
struct Channel {
  uint64_t comm;
  int32_t place, tag;
  uint64_t sent, taken;
  static constexpr uint64_t remembered = 8;
  Posting posted[remembered];
};
constexpr uint64_t channels = 1024, most_steps = 16;
Channel channel[channels];

Channel& channel_of(uint64_t comm, int place, int tag) {
  const uint64_t hash =
      (comm ^ static_cast<uint64_t>(place) << 32 ^ static_cast<uint32_t>(tag)) * 0x9e3779b97f4a7c15ull >> 40;
  Channel* spare = nullptr;
  for (uint64_t step = 0; step < most_steps; ++step) {
    Channel& here = channel[(hash + step) % channels];
    if (here.sent > 0 && here.comm == comm && here.place == place && here.tag == tag) return here;
    if (spare == nullptr && here.sent == here.taken) spare = &here;
  }
  if (spare == nullptr) spare = &channel[hash % channels];  // it is out of step from then on
  *spare = {};
  spare->comm = comm;
  spare->place = place;
  spare->tag = tag;
  return *spare;
}

bool take_posting(Channel& of) {
  Stamp posting{of.comm, any_size, 0, of.tag};
  if (of.taken >= of.sent || !take_stamp(of.place, posting, StampPlane::postings)) return false;
  of.posted[of.taken++ % Channel::remembered] = {time_of_bits(posting.when), time_of_bits(posting.until)};
  return true;
}

// When the receive of the channel's message was posted. MPI has the message, or its receive, already, so that
// the posting comes soon, unless the library buffered what the emulated network would not.
Posting receive_posted(Channel& of, uint64_t number, double otherwise_s) {
  constexpr uint64_t patience_ns = 10'000'000'000;
  const uint64_t begin = real_ns(CLOCK_MONOTONIC);
  for (uint64_t tries = 0; of.taken < number; ++tries) {
    if (take_posting(of)) continue;
    if (of.taken >= of.sent) break;
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, progress_comm, &found, MPI_STATUS_IGNORE);
    if (tries > 100) sched_yield();
    if (real_ns(CLOCK_MONOTONIC) - begin < patience_ns) continue;
    trouble(Trouble::virtual_unanswered);
    of.taken = number;
    return {otherwise_s, otherwise_s};
  }
  if (of.taken < number || of.taken - number >= Channel::remembered) return {otherwise_s, otherwise_s};
  return of.posted[(number - 1) % Channel::remembered];
}

void await(const KnownComm& comm, int source, int tag, const Posting& posted) {
  const int place = place_of(comm, source);
  if (place < 0 || place == own_place()) return;
  awaited[next_awaited++ % most_awaited] = {&costs_with(comm, source),  comm.key, place,
                                            sending_host(comm, source), tag,      posted};
}

// Whether a reply lies behind data is known when these are on their way. Those of the receiver whose request was first are taken first, so that
// it does not depend on who gets there first in real time.
void decide_what_was_asked_before(int place, double requested_s) {
  for (const Awaited& one : awaited) {
    if (one.costs == nullptr || one.place != place) continue;
    Stamp first{one.comm, any_size, 0, one.tag};
    if (!peek_stamp(place, first) || !one.costs->in_order(first.bytes)) continue;
    const double asked_s = requested_s_of(first);
    if (asked_s < requested_s)
      large_passes_sending_port(*one.costs, first.bytes, one.host, place, own_place(), first.number, asked_s,
                                one.posted);
  }
}

// When the sender, this rank, goes on.
double goes_on_s(const KnownComm& comm, int dest, int place, uint64_t bytes, const SentLarge& sent,
                 const Posting& posted) {
  decide_what_was_asked_before(place, sent.when_s);
  const MessageCosts& costs = costs_with(comm, dest);
  double ready_s = 0;
  const Passage out =
      large_passes_sending_port(costs, bytes, sending_host(world_comm, world_comm.rank), own_place(), place,
                                sent.number_of_pair, sent.when_s, posted, &ready_s);
  if (!costs.acknowledged) return costs.sent_s(bytes, ready_s, out.end_s);
  decide_what_was_asked_before(place, out.end_s + costs.landing_s(bytes));
  const double known_s = acknowledged_s(costs, bytes, own_place(), place, out.end_s);
  return known_s > out.end_s ? known_s : out.end_s;
}

constexpr int most_starts = 4096;  // of one call; the others count as sent and posted when it is made
SentLarge starting_sends[most_starts];
Posting starting_receives[most_starts];
int sends_begun = 0, sends_started = 0, receives_begun = 0, receives_started = 0;

}  // namespace

void start_large_messages(MPI_Comm progress) {
  progress_comm = progress;
  postings_told = true;
}
void stop_large_messages() {
  postings_told = false;
}

const MessageCosts& costs_with(const KnownComm& comm, int rank) {
  return virtual_time ? virtual_costs(comm, rank) : costs_wanted().of(on_other_host(comm, rank));
}
int sending_host(const KnownComm& comm, int rank) {
  return virtual_host(comm, rank);
}
int own_place() {
  return place_of(world_comm, world_comm.rank);
}
double requested_s_of(const Stamp& stamp) {
  return virtual_time ? time_of_bits(stamp.when)
                      : run_seconds(stamp.when) + costs_here().inter.ask_s(stamp.bytes);
}

void departs_nowhere() {
  latest = {};
}
void note_departure_of(const KnownComm& comm, int dest, int tag, bool large, double when_s, uint32_t number) {
  Channel& of = channel_of(comm.key, place_of(comm, dest), tag);
  ++of.sent;
  while (of.taken + Channel::remembered / 2 < of.sent && take_posting(of)) {
  }
  latest = {when_s, large ? of.sent : 0, number};
}
const SentLarge& latest_sent() {
  return latest;
}
void note_send(uint64_t serial) {
  sent_of[serial % kept] = latest;
}
const SentLarge& sent_by(uint64_t serial) {
  return sent_of[serial % kept];
}

double send_ends_s(const KnownComm& comm, int dest, int tag, uint64_t bytes, const SentLarge& sent,
                   bool synchronous) {
  const int place = place_of(comm, dest);
  if (place < 0 || (sent.number == 0 && !synchronous)) return 0;
  Channel& of = channel_of(comm.key, place, tag);
  const Posting posted = receive_posted(of, sent.number == 0 ? of.sent : sent.number, sent.when_s);
  if (sent.number == 0) return costs_with(comm, dest).data_ready_s(bytes, sent.when_s, posted.at_s);
  return goes_on_s(comm, dest, place, bytes, sent, posted);
}

void note_posted(const KnownComm& comm, int source, int tag, const Posting& posted) {
  call_posted = posted;
  if (source < 0 || tag == MPI_ANY_TAG) return;
  tell_posting(comm, source, tag, posted);
  await(comm, source, tag, posted);
}
void note_receive(uint64_t serial) {
  posted_of[serial % kept] = call_posted;
}
Posting posted_at(uint64_t serial) {
  return posted_of[serial % kept];
}
Posting posted_by_call() {
  return call_posted;
}
void tell_posting(const KnownComm& comm, int source, int tag, const Posting& posted) {
  const int place = place_of(comm, source);
  if (place >= 0)
    put_stamp(place, {comm.key, 0, bits_of_time(posted.at_s), tag, 0, bits_of_time(posted.looked_s)},
              StampPlane::postings);
}

Passage received_large(const KnownComm& comm, int source, const Stamp& stamp, const Posting& posted) {
  const MessageCosts& costs = costs_with(comm, source);
  return large_passes_sending_port(costs, stamp.bytes, sending_host(comm, source), place_of(comm, source),
                                   own_place(), stamp.number, requested_s_of(stamp), posted);
}
void no_longer_awaited(const KnownComm& comm, int source, int tag) {
  const int place = place_of(comm, source);
  for (int i = 0; i < most_awaited; ++i) {
    Awaited& one = awaited[(next_awaited + i) % most_awaited];
    if (one.costs == nullptr || one.comm != comm.key || one.place != place || one.tag != tag) continue;
    one.costs = nullptr;
    return;
  }
}

void note_starting(bool sends) {
  if (sends && sends_begun < most_starts) starting_sends[sends_begun++] = latest;
  if (!sends && receives_begun < most_starts) starting_receives[receives_begun++] = call_posted;
}

void note_started(const OpenOperation& operation) {
  if (operation.kind == static_cast<uint8_t>(spool::Kind::isend)) {
    sent_of[operation.serial % kept] =
        sends_started < sends_begun ? starting_sends[sends_started++] : SentLarge{};
    if (sends_started == sends_begun) sends_started = sends_begun = 0;
  } else if (operation.kind == static_cast<uint8_t>(spool::Kind::irecv)) {
    posted_of[operation.serial % kept] =
        receives_started < receives_begun ? starting_receives[receives_started++] : call_posted;
    if (receives_started == receives_begun) receives_started = receives_begun = 0;
  }
}

}  // namespace ww::interpose

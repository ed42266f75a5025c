#include "interpose/mpi/virtual_messages.hpp"

#include <sched.h>
#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/stamps.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/virtual_ports.hpp"
#include "interpose/mpi/departures.hpp"
#include "interpose/mpi/own_library.hpp"
#include "interpose/mpi/virtual_collectives.hpp"

namespace ww::interpose {

namespace {

VirtualPlan plan;
MPI_Comm progress_comm = MPI_COMM_NULL;

// Of operations by serial; those that are open are fewer.
constexpr uint64_t kept = 1u << 18;
struct Sent {
  double when_s;
  uint64_t number;          // of its channel; 0: not a large message
  uint32_t number_of_pair;  // of all to that rank
};
Posting posted_of[kept];
Sent sent_of[kept];
Posting call_posted;
Sent latest{};

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

int own_place() {
  return place_of(world_comm, world_comm.rank);
}

// What this rank has posted and not received, of named senders.
struct Awaited {
  const MessageCosts* costs;  // nullptr: nothing
  uint64_t comm;
  int place, host, tag;  // the sender's
  Posting posted;
};
constexpr int most_awaited = 64;
Awaited awaited[most_awaited];
int next_awaited = 0;

void await(const KnownComm& comm, int source, int tag, const Posting& posted) {
  const int place = place_of(comm, source);
  if (place < 0 || place == own_place()) return;
  awaited[next_awaited++ % most_awaited] = {&virtual_costs(comm, source), comm.key, place,
                                            virtual_host(comm, source),   tag,      posted};
}

void received(const KnownComm& comm, int source, int tag) {
  const int place = place_of(comm, source);
  for (int i = 0; i < most_awaited; ++i) {
    Awaited& one = awaited[(next_awaited + i) % most_awaited];
    if (one.costs == nullptr || one.comm != comm.key || one.place != place || one.tag != tag) continue;
    one.costs = nullptr;
    return;
  }
}

// Whether a reply lies behind data is known when these are on their way. Those of the receiver whose request was first are taken first, so that
// it does not depend on who gets there first in real time.
void decide_what_was_asked_before(int place, double requested_s) {
  for (const Awaited& one : awaited) {
    if (one.costs == nullptr || one.place != place) continue;
    Stamp first{one.comm, any_size, 0, one.tag};
    if (!peek_stamp(place, first) || !one.costs->in_order(first.bytes)) continue;
    const double asked_s = time_of_bits(first.when);
    if (asked_s < requested_s)
      large_passes_sending_port(*one.costs, first.bytes, one.host, place, own_place(), first.number, asked_s,
                                one.posted);
  }
}

// When the sender, this rank, goes on: its system has a large message's data, or it knows that they are there.
double sent_s(const KnownComm& comm, int dest, int place, uint64_t bytes, const Sent& sent,
              const Posting& posted) {
  decide_what_was_asked_before(place, sent.when_s);
  const MessageCosts& costs = virtual_costs(comm, dest);
  double ready_s = 0;
  const Passage out =
      large_passes_sending_port(costs, bytes, virtual_host(world_comm, world_comm.rank), own_place(), place,
                                sent.number_of_pair, sent.when_s, posted, &ready_s);
  if (!costs.acknowledged) return costs.sent_s(bytes, ready_s, out.end_s);
  decide_what_was_asked_before(place, out.end_s + costs.landing_s(bytes));
  const double known_s = acknowledged_s(costs, bytes, own_place(), place, out.end_s);
  return known_s > out.end_s ? known_s : out.end_s;
}

// Until the rank's first message of that channel is there, or none comes that it sends before `until_s`: it is further, or stays where it is. In
// real time, of which a millisecond at most.
bool waits_for_stamp(int place, Stamp& first, double until_s) {
  constexpr uint64_t sends_within_ns = 20'000, stays_ns = 200'000, patience_ns = 1'000'000;
  const uint64_t begin_ns = real_ns(CLOCK_MONOTONIC);
  uint64_t since_ns = begin_ns;
  double seen_s = -1;
  while (!peek_stamp(place, first)) {
    const double there_s = progress_s(place);
    const uint64_t now_ns = real_ns(CLOCK_MONOTONIC);
    if (there_s != seen_s) {
      seen_s = there_s;
      since_ns = now_ns;
    }
    if (now_ns - since_ns > (there_s >= until_s ? sends_within_ns : stays_ns)) return false;
    if (now_ns - begin_ns > patience_ns) return false;
    sched_yield();
  }
  return true;
}

bool any_large = false;  // messages, so far

// A library that reads on before its rank leaves a call stays in it for a request that follows what it waited for. Found when the rank posts the
// receive for that, or sends to whom it posted it before: in real time its sender may not have been as far when the wait was over.
// True: it has waited for a message that did not come.
bool stayed_for_request(const MessageCosts& costs, int place, uint64_t comm, int tag, bool may_wait = true) {
  if (!any_large || !costs.reads_on || !(costs.read_together_s > 0)) return false;
  const double last_s = virtual_looked_s() + costs.read_together_s;
  if (virtual_now_s() > last_s) return false;
  note_progress(own_place(), virtual_now_s());
  Stamp first{comm, any_size, 0, tag};
  const double sent_until_s = last_s - costs.control_s(static_cast<uint64_t>(costs.eager_bytes) + 1);
  if (may_wait ? !waits_for_stamp(place, first, sent_until_s) : !peek_stamp(place, first)) return may_wait;
  if (!costs.in_order(first.bytes)) return false;
  const double comes_s = request_comes_s(costs, first.bytes, place, own_place(), time_of_bits(first.when));
  if (comes_s <= last_s) stayed_virtually(comes_s);
  return false;
}
void stayed_for_requests_of(int place) {
  bool may_wait = true;
  for (const Awaited& one : awaited)
    if (one.costs != nullptr && one.place == place &&
        stayed_for_request(*one.costs, place, one.comm, one.tag, may_wait))
      may_wait = false;
}

void tell_posting(const KnownComm& comm, int source, int tag, const Posting& posted) {
  const int place = place_of(comm, source);
  if (place >= 0)
    put_stamp(place, {comm.key, 0, bits_of_time(posted.at_s), tag, 0, bits_of_time(posted.looked_s)},
              StampPlane::postings);
}

}  // namespace

void begin_virtual_time(MPI_Comm comm, const VirtualPlan& given, bool all_share, int thread_level,
                        double ticks_per_s) {
  plan = given;
  progress_comm = comm;
  if (!all_share) trouble(Trouble::virtual_several_machines);
  if (thread_level == MPI_THREAD_MULTIPLE) trouble(Trouble::virtual_threads_at_once);
  // The ticks, and whether a rank has no memory for the exchanges of collectives.
  const uint64_t own[2] = {ticks(), reserve_collectives(world_comm.size) ? uint64_t{0} : uint64_t{1}};
  uint64_t latest_of_all[2] = {};
  PMPI_Allreduce(own, latest_of_all, 2, MPI_UINT64_T, MPI_MAX, comm);
  const uint64_t origin = latest_of_all[0];
  exchange_collectives(latest_of_all[1] == 0);
  for (int rank = 0; rank < world_comm.size; ++rank)
    if (rank != world_comm.rank && !virtual_costs(world_comm, rank).known) {
      trouble(Trouble::virtual_no_costs);
      break;
    }
  target_costs.inter.acknowledged = own_library.handshake_crossings > 2;
  own_messages_read_virtually(own_library.own_messages_read_from_bytes);
  start_virtual_clock(origin, ticks_per_s, plan.compute);
}

const MessageCosts& virtual_costs(const KnownComm& comm, int from, int to) {
  static const MessageCosts nothing{};  // to itself
  if (comm.world_ranks == nullptr) return nothing;
  const int32_t a = from < 0 ? world_comm.rank : comm.world_ranks[from], b = comm.world_ranks[to];
  if (a == b) return nothing;
  if (plan.ranks_per_host > 0)
    return target_costs.of(a < 0 || b < 0 || a / plan.ranks_per_host != b / plan.ranks_per_host);
  return target_costs.of(on_different_hosts(a, b));
}

const MessageCosts& virtual_costs(const KnownComm& comm, int rank) {
  return virtual_costs(comm, -1, rank);
}

int virtual_host(const KnownComm& comm, int rank) {
  const int32_t world = comm.world_ranks == nullptr ? -1 : comm.world_ranks[rank];
  if (world < 0) return 0;
  return plan.ranks_per_host > 0 ? world / plan.ranks_per_host : first_rank_on_host(world);
}

void departs_virtually(const KnownComm& comm, int dest, int tag, uint64_t bytes) {
  latest = {};
  const int place = place_of(comm, dest);
  if (place < 0) return;
  const MessageCosts& costs = virtual_costs(comm, dest);
  if (costs.rendezvous(bytes)) {
    any_large = true;
    stayed_for_requests_of(place);
  }
  const Leaving leaving =
      leave_by_port(costs, bytes, virtual_host(world_comm, world_comm.rank), own_place(), place);
  if (leaving.rendezvous)
    note_asked(costs, bytes, own_place(), place, leaving.out.begin_s, virtual_looked_s());
  else
    note_written(own_place(), place, virtual_now_s(), leaving.out.end_s, virtual_looked_s());
  Channel& of = channel_of(comm.key, place, tag);
  ++of.sent;
  while (of.taken + Channel::remembered / 2 < of.sent && take_posting(of)) {
  }
  const uint32_t number = put_stamp(
      place, {comm.key, bytes, bits_of_time(leaving.out.begin_s), tag, 0, bits_of_time(leaving.out.end_s)});
  latest = {leaving.out.begin_s, leaving.rendezvous ? of.sent : 0, number};
  note_progress(own_place(), virtual_now_s());
}

void waits_for_receiver(const KnownComm& comm, int dest, int tag, uint64_t bytes, bool synchronous) {
  const int place = place_of(comm, dest);
  if (place < 0 || (latest.number == 0 && !synchronous)) return;
  Channel& of = channel_of(comm.key, place, tag);
  const Posting posted = receive_posted(of, of.sent, latest.when_s);
  if (latest.number == 0)  // synchronous, and small
    reach_at_leave(virtual_costs(comm, dest).data_ready_s(bytes, latest.when_s, posted.at_s));
  else
    reach_at_leave(sent_s(comm, dest, place, bytes, latest, posted));
}

void note_send(uint64_t serial) {
  sent_of[serial % kept] = latest;
}

void send_completes(const OpenOperation& operation) {
  const Sent sent = sent_of[operation.serial % kept];
  if (sent.number == 0) return;
  const KnownComm& comm = known_comm_by_id(operation.comm);
  const int place = place_of(comm, operation.peer);
  if (place < 0) return;
  const Posting posted = receive_posted(channel_of(comm.key, place, operation.tag), sent.number, sent.when_s);
  reach_at_leave(sent_s(comm, operation.peer, place, operation.bytes, sent, posted));
}

void posts_virtually(const KnownComm& comm, int source, int tag) {
  const bool is_named = source >= 0 && tag != MPI_ANY_TAG;
  const int place = is_named ? place_of(comm, source) : -1;
  if (place >= 0 && place != own_place())
    stayed_for_request(virtual_costs(comm, source), place, comm.key, tag);
  note_progress(own_place(), virtual_now_s());
  call_posted = {virtual_now_s(), virtual_looked_s()};
  if (!is_named) return;
  tell_posting(comm, source, tag, call_posted);
  await(comm, source, tag, call_posted);
}

void note_receive(uint64_t serial) {
  posted_of[serial % kept] = call_posted;
}
namespace {

constexpr int most_starts = 4096;  // of one call; the others count as sent and posted when it is made
Sent starting_sends[most_starts];
Posting starting_receives[most_starts];
int sends_begun = 0, sends_started = 0, receives_begun = 0, receives_started = 0;

}  // namespace

void begins_virtually(const KnownComm& comm, const OpenOperation& next) {
  if (next.kind == static_cast<uint8_t>(spool::Kind::isend)) {
    departs_virtually(comm, next.peer, next.tag, next.bytes);
    if (sends_begun < most_starts) starting_sends[sends_begun++] = latest;
  } else {
    posts_virtually(comm, next.peer >= 0 ? next.peer : MPI_ANY_SOURCE,
                    next.tag == spool::any_tag ? MPI_ANY_TAG : next.tag);
    if (receives_begun < most_starts) starting_receives[receives_begun++] = call_posted;
  }
}

void started_virtually(const OpenOperation& operation) {
  if (operation.kind == static_cast<uint8_t>(spool::Kind::isend)) {
    sent_of[operation.serial % kept] = sends_started < sends_begun ? starting_sends[sends_started++] : Sent{};
    if (sends_started == sends_begun) sends_started = sends_begun = 0;
  } else if (operation.kind == static_cast<uint8_t>(spool::Kind::irecv)) {
    posted_of[operation.serial % kept] =
        receives_started < receives_begun ? starting_receives[receives_started++] : call_posted;
    if (receives_started == receives_begun) receives_started = receives_begun = 0;
  }
}

Posting posted_at(uint64_t serial) {
  return posted_of[serial % kept];
}
Posting posted_by_call() {
  return call_posted;
}

void arrives_virtually(VirtualArrivals& arrivals, const KnownComm& comm, int source, const Stamp& stamp,
                       const Posting& posted, bool wildcard) {
  const MessageCosts& costs = virtual_costs(comm, source);
  const double when_s = time_of_bits(stamp.when);
  received(comm, source, stamp.tag);
  Passage sent{when_s, time_of_bits(stamp.until)};
  if (costs.rendezvous(stamp.bytes))
    sent = large_passes_sending_port(costs, stamp.bytes, virtual_host(comm, source), place_of(comm, source),
                                     own_place(), stamp.number, when_s, posted);
  arrivals.add(costs, stamp.bytes, sent, virtual_host(world_comm, world_comm.rank), place_of(comm, source),
               own_place());
  if (!wildcard) return;
  tell_posting(comm, source, stamp.tag, posted);
  trouble(Trouble::virtual_wildcard);
  for (int other = 0; other < comm.other_size; ++other) {
    const int place = other == source ? -1 : place_of(comm, other);
    Stamp first{comm.key, any_size, 0, stamp.tag};
    if (place < 0 || !peek_stamp(place, first) || time_of_bits(first.when) >= when_s) continue;
    trouble(Trouble::virtual_wildcard_order);
    return;
  }
}

void found_by_probe(const KnownComm& comm, const Received& got) {
  const int place = place_of(comm, got.source);
  Stamp stamp{comm.key, any_size, 0, got.tag};
  if (place < 0 || !peek_stamp(place, stamp)) return;
  const MessageCosts& costs = virtual_costs(comm, got.source);
  // of a large message its request is found
  const double way_s =
      costs.rendezvous(stamp.bytes) ? costs.reply.at(stamp.bytes) / 2 : costs.flight.at(stamp.bytes);
  reach_virtually(time_of_bits(stamp.when) + way_s);
  reads_virtually();
}

}  // namespace ww::interpose

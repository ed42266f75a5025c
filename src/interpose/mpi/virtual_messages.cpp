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
bool stayed_for_request(const MessageCosts& costs, int place, uint64_t comm, int tag, bool may_wait) {
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

}  // namespace

void begin_virtual_time(MPI_Comm comm, const VirtualPlan& given, bool all_share, int thread_level,
                        double ticks_per_s) {
  plan = given;
  start_large_messages(comm);
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
  departs_nowhere();
  const int place = place_of(comm, dest);
  if (place < 0) return;
  const MessageCosts& costs = virtual_costs(comm, dest);
  if (costs.rendezvous(bytes)) {
    any_large = true;
    stay_for_requests_of(place, [place](const Awaited& one, bool may_wait) {
      return stayed_for_request(*one.costs, place, one.comm, one.tag, may_wait);
    });
  }
  const Leaving leaving =
      leave_by_port(costs, bytes, virtual_host(world_comm, world_comm.rank), own_place(), place);
  if (leaving.rendezvous)
    note_asked(costs, bytes, own_place(), place, leaving.out.begin_s, virtual_looked_s());
  else
    note_written(own_place(), place, virtual_now_s(), leaving.out.end_s, virtual_looked_s());
  const uint32_t number = put_stamp(
      place, {comm.key, bytes, bits_of_time(leaving.out.begin_s), tag, 0, bits_of_time(leaving.out.end_s)});
  note_departure_of(comm, dest, tag, leaving.rendezvous, leaving.out.begin_s, number);
  note_progress(own_place(), virtual_now_s());
}

void waits_for_receiver(const KnownComm& comm, int dest, int tag, uint64_t bytes, bool synchronous) {
  reach_at_leave(send_ends_s(comm, dest, tag, bytes, latest_sent(), synchronous));
}
void send_completes(const OpenOperation& operation) {
  reach_at_leave(send_ends_s(known_comm_by_id(operation.comm), operation.peer, operation.tag, operation.bytes,
                             sent_by(operation.serial)));
}

void posts_virtually(const KnownComm& comm, int source, int tag) {
  const bool is_named = source >= 0 && tag != MPI_ANY_TAG;
  const int place = is_named ? place_of(comm, source) : -1;
  if (place >= 0 && place != own_place())
    stayed_for_request(virtual_costs(comm, source), place, comm.key, tag, true);
  note_progress(own_place(), virtual_now_s());
  note_posted(comm, source, tag, {virtual_now_s(), virtual_looked_s()});
}

void begins_virtually(const KnownComm& comm, const OpenOperation& next) {
  const bool sends = next.kind == static_cast<uint8_t>(spool::Kind::isend);
  if (sends)
    departs_virtually(comm, next.peer, next.tag, next.bytes);
  else
    posts_virtually(comm, next.peer >= 0 ? next.peer : MPI_ANY_SOURCE,
                    next.tag == spool::any_tag ? MPI_ANY_TAG : next.tag);
  note_starting(sends);
}

void arrives_virtually(VirtualArrivals& arrivals, const KnownComm& comm, int source, const Stamp& stamp,
                       const Posting& posted, bool wildcard) {
  const MessageCosts& costs = virtual_costs(comm, source);
  const double when_s = time_of_bits(stamp.when);
  no_longer_awaited(comm, source, stamp.tag);
  Passage sent{when_s, time_of_bits(stamp.until)};
  if (costs.rendezvous(stamp.bytes)) sent = received_large(comm, source, stamp, posted);
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

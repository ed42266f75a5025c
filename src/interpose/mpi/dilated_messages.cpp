#include "interpose/mpi/dilated_messages.hpp"

#include "interpose/core/definitions.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/mpi/departures.hpp"
#include "interpose/mpi/hosts.hpp"

namespace ww::interpose {

namespace {

// The clock of all ranks. Each has measured the rate of its counter, and 1e-8 of the time since the machine was started is microseconds.
struct Clock {
  uint64_t origin;
  double ticks_per_s;
} clock_of_all{0, 1e9};

double looked_s() {
  return run_seconds(this_thread->read);
}
bool in_order(const KnownComm& comm, int rank, uint64_t bytes) {
  return on_other_host(comm, rank) && costs_with(comm, rank).in_order(bytes);
}

bool any_large = false;  // messages, so far

// As in virtual time (virtual_messages.cpp): the rank stays in its call for a request that follows what it waited for. True: it has waited for one
// that did not come.
bool stays_for_request(const MessageCosts& costs, int place, uint64_t comm, int tag, bool may_wait) {
  if (!any_large || !costs.reads_on || !(costs.read_together_s > 0)) return false;
  const double last_s = looked_s() + costs.read_together_s;
  const double sent_until_s = last_s - costs.control_s(static_cast<uint64_t>(costs.eager_bytes) + 1);
  Stamp first{comm, any_size, 0, tag};
  bool found = false;
  for (double now_s = run_seconds(ticks()); !found; now_s = run_seconds(ticks())) {
    if (now_s > last_s) return false;
    found = peek_stamp(place, first);
    if (!found && (!may_wait || now_s > sent_until_s)) return may_wait;
  }
  if (!costs.in_order(first.bytes)) return false;
  const double comes_s = request_comes_s(costs, first.bytes, place, own_place(), requested_s_of(first));
  if (comes_s <= last_s) this_thread->read = pass_waiting(run_ticks(comes_s));
  return false;
}

}  // namespace

void begin_dilated_messages(MPI_Comm comm, bool all_share, int thread_level) {
  if (!all_share || thread_level == MPI_THREAD_MULTIPLE || !(costs_wanted().inter.together_s >= 0)) return;
  clock_of_all = {ticks(), static_cast<double>(injection_ticks(1))};
  PMPI_Bcast(&clock_of_all, sizeof clock_of_all, MPI_BYTE, 0, comm);
  data_go_in_turn();
  start_large_messages(comm);
}

double run_seconds(uint64_t at) {
  const double since = at > clock_of_all.origin ? static_cast<double>(at - clock_of_all.origin) : 0;
  return since / clock_of_all.ticks_per_s;
}
uint64_t run_ticks(double seconds) {
  return clock_of_all.origin + static_cast<uint64_t>(seconds > 0 ? seconds * clock_of_all.ticks_per_s : 0);
}

uint64_t departs_in_turn(const KnownComm& comm, int dest, uint64_t bytes, uint64_t departs) {
  const int place = place_of(comm, dest);
  if (place < 0 || place == own_place() || !on_other_host(comm, dest)) return departs;
  const MessageCosts& costs = costs_with(comm, dest);
  const double at_s = run_seconds(departs);
  if (costs.in_order(bytes)) {
    const double asked_at_s = at_s + costs_here().inter.ask_s(bytes);
    note_asked(costs, bytes, own_place(), place, asked_at_s, looked_s());
    return departs;
  }
  const Passage out =
      pass_sending_port(sending_host(world_comm, world_comm.rank), at_s, costs.port.at(bytes));
  note_written(own_place(), place, at_s, out.end_s, looked_s());
  return out.begin_s > at_s ? run_ticks(out.begin_s) : departs;
}

void departed_in_turn(const KnownComm& comm, int dest, int tag, uint64_t bytes, uint64_t departs,
                      uint32_t number) {
  departs_nowhere();
  if (place_of(comm, dest) < 0) return;
  const double when_s = run_seconds(departs) + costs_here().inter.ask_s(bytes);
  note_departure_of(comm, dest, tag, in_order(comm, dest, bytes), when_s, number);
}

void before_departure(const KnownComm& comm, int dest, uint64_t bytes) {
  const int place = place_of(comm, dest);
  if (place < 0 || place == own_place() || !in_order(comm, dest, bytes)) return;
  any_large = true;
  stay_for_requests_of(place, [place](const Awaited& one, bool may_wait) {
    return stays_for_request(*one.costs, place, one.comm, one.tag, may_wait);
  });
}

void posts_in_turn(const KnownComm& comm, int source, int tag) {
  const int place = source >= 0 && tag != MPI_ANY_TAG ? place_of(comm, source) : -1;
  if (place >= 0 && place != own_place() && on_other_host(comm, source))
    stays_for_request(costs_with(comm, source), place, comm.key, tag, true);
  note_posted(comm, source, tag, {run_seconds(ticks()), looked_s()});
}

uint64_t arrives_in_turn(const KnownComm& comm, int source, const Stamp& stamp, const Posting& posted,
                         bool wildcard) {
  no_longer_awaited(comm, source, stamp.tag);
  if (wildcard) tell_posting(comm, source, stamp.tag, posted);
  if (!in_order(comm, source, stamp.bytes)) return 0;
  const MessageCosts& costs = costs_with(comm, source);
  const int place = place_of(comm, source);
  const Passage sent = received_large(comm, source, stamp, posted);
  double there_s =
      pass_receiving_port(sending_host(world_comm, world_comm.rank), sent, costs.head_s(stamp.bytes),
                          costs.port.at(stamp.bytes), costs.meeting.at(stamp.bytes));
  if (costs.acknowledged) {
    const double told_s =
        acknowledged_s(costs, stamp.bytes, place, own_place(), sent.end_s) + costs.control_s(stamp.bytes);
    if (told_s > there_s) there_s = told_s;
  }
  return run_ticks(there_s);
}

}  // namespace ww::interpose

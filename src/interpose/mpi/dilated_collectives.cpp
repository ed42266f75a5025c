#include "interpose/mpi/dilated_collectives.hpp"

#include "interpose/core/collective_play.hpp"
#include "interpose/core/entries.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/mpi/departures.hpp"
#include "interpose/mpi/hosts.hpp"
#include "interpose/mpi/own_library.hpp"
#include "interpose/mpi/virtual_collectives.hpp"

namespace ww::interpose {

namespace {

// One play at a time: threads have their collectives on different communicators.
int playing = 0;
PlayMemory play_memory;

struct Stage {
  const KnownComm& comm;
  const NetworkCosts& costs;
  bool nonblocking;
  const uint64_t* pairs;  // of an alltoallv; nullptr: each gives all as much
  bool really;            // it is this machine
  uint64_t since, back;   // when this rank entered, and had it back from the library
};

const Stage& stage_of(const void* of) {
  return *static_cast<const Stage*>(of);
}
// Of an intercommunicator only what this rank has to do with the others is known.
bool apart(const KnownComm& comm, int from, int to) {
  if (comm.inter) return any_on_other_host(comm);
  return comm.world_ranks != nullptr && on_different_hosts(comm.world_ranks[from], comm.world_ranks[to]);
}
const MessageCosts& costs_of(const void* of, int from, int to) {
  static const MessageCosts nothing{};
  return from == to ? nothing : stage_of(of).costs.of(apart(stage_of(of).comm, from, to));
}
int host_of(const void* of, int rank) {
  int first = 0;
  while (first < rank && apart(stage_of(of).comm, first, rank)) ++first;
  return first;
}
uint64_t ticks_after(uint64_t since, double later_s) {
  return later_s < 0 ? since - injection_ticks(-later_s) : since + injection_ticks(later_s);
}
// Of messages between this rank and those of other hosts.
void sends(const void* of, int from, int to, double at_s) {
  const Stage& stage = stage_of(of);
  if (from == stage.comm.rank && apart(stage.comm, from, to))
    note_told(sender_number(stage.comm, to), ticks_after(stage.since, at_s));
}
void reads(const void* of, int from, int to, uint64_t bytes, double came_s, double read_s) {
  const Stage& stage = stage_of(of);
  if (to == stage.comm.rank && apart(stage.comm, from, to))
    note_read(sender_number(stage.comm, from), bytes, ticks_after(stage.since, came_s),
              ticks_after(stage.since, read_s), stage.back);
}
static_assert(unknown_key + 1 == 0);
Cast cast_of(const Stage& stage) {
  Cast out{.size = stage.comm.size,
           .of = &stage,
           .costs = costs_of,
           .host = host_of,
           .rules = own_library.collectives,
           .ports = true};
  out.ports_are_its_own = true;
  out.nonblocking = stage.nonblocking;
  out.pairs = stage.pairs;
  out.really = stage.really;
  out.communicator =
      stage.comm.key + 1;  // the world's is 0, of one that is not known it is unknown_key: then there is none
  out.since_s = injection_seconds(stage.since);
  if (!stage.really && !stage.comm.inter) {
    out.sends = sends;
    out.reads = reads;
  }
  return out;
}
// From then on, negative before.
double from_s(uint64_t since, uint64_t when) {
  return when < since ? -injection_seconds(since - when) : injection_seconds(when - since);
}
Entered entered_since(uint64_t since, const EntryOfRank& one) {
  Entered out{from_s(since, one.when), one.given, one.got};
  out.looked_s = one.looked > 0 ? from_s(since, one.looked) : out.at_s;
  out.really_looked_s = one.really_looked > 0 ? from_s(since, one.really_looked) : out.at_s;
  if (one.port_until > 0) out.port_until_s = from_s(since, one.port_until);
  if (one.port_really_until > 0) out.port_really_until_s = from_s(since, one.port_really_until);
  return out;
}

// From this rank's entry on.
Ends ends_on_both(const KnownComm& comm, const Entering& own, uint64_t back, bool nonblocking) {
  if (comm.size < 2) return {};
  const Locked locked(playing);
  const auto members = static_cast<size_t>(comm.size);
  bool told = own.own.told == members;
  auto* const entered = static_cast<Entered*>(play_memory.need(
      PlayMemory::callers, sizeof(Entered) * members + (told ? sizeof(uint64_t) * members * members : 0)));
  if (entered == nullptr) return {};
  auto* const pairs = reinterpret_cast<uint64_t*>(entered + members);
  for (int rank = 0; rank < comm.size; ++rank) {
    const int place = comm.inter || rank == comm.rank ? -1 : place_of(comm, rank);
    EntryOfRank entry{0, 0, 0};
    const bool known = place >= 0 && read_entry(place, comm.key, own.number, entry);
    const EntryOfRank& one = known ? entry : own.own;
    entered[rank] = entered_since(own.own.when, one);
    if (!known && rank != comm.rank)
      entered[rank].port_until_s = entered[rank].port_really_until_s = Entered::nothing_s;
    told = told && (known || rank == comm.rank) && one.told == members;
    for (size_t i = 0; told && i < members; ++i)
      pairs[static_cast<size_t>(rank) * members + i] = one.given_to[i];
  }
  const uint64_t* const given_to = told ? pairs : nullptr;
  const uint64_t since = own.own.when;
  const Stage here{comm, costs_here(), nonblocking, given_to, true, since, back},
      there{comm, costs_wanted(), nonblocking, given_to, false, since, back};
  return ends_of(cast_of(here), cast_of(there), collective_of(own.call), own.root, entered, comm.rank,
                 play_memory, nonblocking ? 0 : from_s(own.own.when, back));
}

// Of operations by serial; those that are open are fewer.
constexpr uint64_t kept = 4096;
struct Begun {
  uint64_t next_serial;  // 0: none
  Entering entering;
};
Begun begun[kept];

}  // namespace

Entering enters_dilated(const KnownComm& comm, uint16_t call, int root, uint64_t given, uint64_t got,
                        const patterns::Called<uint64_t(int)>& given_to) {
  Entering out{comm.collectives++, {ticks(), given, got}, root, call};
  EntryOfRank& own = out.own;
  if (this_thread != nullptr) {
    own.looked = this_thread->looked;
    own.really_looked = this_thread->really_looked;
  }
  const Deadlines::PortUntil port = injected_port();
  own.port_until = port.there;
  own.port_really_until = port.here;
  if (given_to && !comm.inter && comm.size <= EntryOfRank::most_told)
    for (int i = 0; i < comm.size; ++i) own.given_to[own.told++] = given_to(i);
  if (!comm.inter && comm.key != unknown_key) put_entry(comm.key, out.number, own);
  return out;
}

HeldBack hold_back_collective(const KnownComm& comm, const Entering& own, uint64_t back) {
  if (own.own.when == 0 || comm.size < 2) return {};
  const Ends ends = ends_on_both(comm, own, back, false);
  const uint64_t since = own.own.when;
  return {back + injection_ticks(ends.later_s()), ticks_after(since, ends.there_looked_s),
          ticks_after(since, ends.here_looked_s)};
}

void note_icollective(uint64_t serial, const Entering& own) {
  begun[serial % kept] = {serial + 1, own};
}

uint64_t icollective_deadline(const KnownComm& comm, uint64_t serial, uint64_t back) {
  Begun& one = begun[serial % kept];
  if (one.next_serial != serial + 1 || one.entering.own.when == 0) return 0;
  one.next_serial = 0;
  const Ends ends = ends_on_both(comm, one.entering, back, true);
  // It was there by the model, or when the call came back that found it.
  const uint64_t by_model = one.entering.own.when + injection_ticks(ends.here_s);
  return (by_model < back ? by_model : back) + injection_ticks(ends.later_s());
}

}  // namespace ww::interpose

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
Cast cast_of(const Stage& stage) {
  return {stage.comm.size, &stage, costs_of, host_of, own_library.collectives, true, true, stage.nonblocking};
}

// From this rank's entry on.
Ends ends_on_both(const KnownComm& comm, const Entering& own, bool nonblocking) {
  if (comm.size < 2) return {};
  const Locked locked(playing);
  const auto members = static_cast<size_t>(comm.size);
  auto* const entered =
      static_cast<Entered*>(play_memory.need(PlayMemory::callers, sizeof(Entered) * members));
  if (entered == nullptr) return {};
  for (int rank = 0; rank < comm.size; ++rank) {
    entered[rank] = {0, own.given, own.got};
    const int place = comm.inter || rank == comm.rank ? -1 : place_of(comm, rank);
    EntryOfRank entry{};
    if (place < 0 || !read_entry(place, comm.key, own.number, entry)) continue;
    const bool later = entry.when > own.when;
    const double apart_s = injection_seconds(later ? entry.when - own.when : own.when - entry.when);
    entered[rank] = {later ? apart_s : -apart_s, entry.given, entry.got};
  }
  const Stage here{comm, costs_here(), nonblocking}, there{comm, costs_wanted(), nonblocking};
  return ends_of(cast_of(here), cast_of(there), collective_of(own.call), own.root, entered, comm.rank,
                 play_memory);
}

// Of operations by serial; those that are open are fewer.
constexpr uint64_t kept = 4096;
struct Begun {
  uint64_t next_serial;  // 0: none
  Entering entering;
};
Begun begun[kept];

}  // namespace

Entering enters_dilated(const KnownComm& comm, uint16_t call, int root, uint64_t given, uint64_t got) {
  const Entering own{comm.collectives++, ticks(), given, got, root, call};
  if (!comm.inter && comm.key != unknown_key) put_entry(comm.key, own.number, {own.when, given, got});
  return own;
}

uint64_t collective_deadline(const KnownComm& comm, const Entering& own, uint64_t back) {
  return own.when == 0 ? 0 : back + injection_ticks(ends_on_both(comm, own, false).later_s());
}

void note_icollective(uint64_t serial, const Entering& own) {
  begun[serial % kept] = {serial + 1, own};
}

uint64_t icollective_deadline(const KnownComm& comm, uint64_t serial, uint64_t back) {
  Begun& one = begun[serial % kept];
  if (one.next_serial != serial + 1 || one.entering.when == 0) return 0;
  one.next_serial = 0;
  const Ends ends = ends_on_both(comm, one.entering, true);
  // It was there by the model, or when the call came back that found it.
  const uint64_t by_model = one.entering.when + injection_ticks(ends.here_s);
  return (by_model < back ? by_model : back) + injection_ticks(ends.later_s());
}

}  // namespace ww::interpose

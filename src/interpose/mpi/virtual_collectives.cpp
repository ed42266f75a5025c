#include "interpose/mpi/virtual_collectives.hpp"

#include <stdlib.h>

#include "interpose/core/call_names.hpp"
#include "interpose/core/collective_play.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/virtual_once.hpp"
#include "interpose/core/virtual_streams.hpp"
#include "interpose/mpi/departures.hpp"
#include "interpose/mpi/own_library.hpp"
#include "interpose/mpi/virtual_messages.hpp"

namespace ww::interpose {

namespace {

constexpr int most_calls = 1024;
patterns::Operation operations[most_calls];

// Non-blocking ones under way. Their times go on a communicator's own collectives, in the order in which all
// members begin them.
struct Begun {
  Begun* next;
  uint64_t serial;
  MPI_Request request;
  uint64_t number;  // of the communicator's collectives
  uint16_t call;
  int root;
  Entered own;
  Entered* all;
  bool spare;
};
Begun* begun_ones = nullptr;  // the latest first
PlayMemory play_memory;
Entered* table = nullptr;
int table_size = 0;
// What each member of an alltoallv gives to each, of as many members as there is room for.
constexpr int most_paired = 256;
uint64_t* pairs = nullptr;
int paired_size = 0;

// A rank without memory would leave the others of a communicator waiting for what it tells. So what there must
// be is taken at the start, and where one rank cannot, none exchanges anything. Spares are for non-blocking
// ones that find no memory of their own.
constexpr int spare_count = 8;
char* spares = nullptr;  // each a Begun and what all ranks tell
bool spare_taken[spare_count];
int reserved_size = 0;
bool exchanging = false;

size_t begun_bytes(int ranks) {
  return sizeof(Begun) + sizeof(Entered) * static_cast<size_t>(ranks);
}
Begun* spare_at(int number) {
  return reinterpret_cast<Begun*>(spares + static_cast<size_t>(number) * begun_bytes(reserved_size));
}
int free_spare() {
  for (int i = 0; i < spare_count; ++i)
    if (!spare_taken[i]) return i;
  return -1;
}

void give_back(Begun* begun) {
  if (!begun->spare) return free(begun);
  for (int i = 0; i < spare_count; ++i)
    if (spare_at(i) == begun) spare_taken[i] = false;
}

// The earliest that has a spare is waited for, and when it is over stays unknown: the others take part in it
// whatever this rank does now.
void give_up_a_spare() {
  Begun** of_spare = nullptr;
  for (Begun** place = &begun_ones; *place != nullptr; place = &(*place)->next)
    if ((*place)->spare) of_spare = place;
  if (of_spare == nullptr) return;
  Begun* const begun = *of_spare;
  *of_spare = begun->next;
  PMPI_Wait(&begun->request, MPI_STATUS_IGNORE);
  trouble(Trouble::virtual_not_costed);
  give_back(begun);
}

// nullptr: no memory, and more ranks than MPI_COMM_WORLD has.
Begun* memory_for_begun(int ranks) {
  if (auto* own = static_cast<Begun*>(malloc(begun_bytes(ranks))); own != nullptr) {
    own->spare = false;
    return own;
  }
  if (ranks > reserved_size) return nullptr;
  if (free_spare() < 0) give_up_a_spare();
  const int number = free_spare();
  if (number < 0) return nullptr;
  spare_taken[number] = true;
  spare_at(number)->spare = true;
  return spare_at(number);
}

const MessageCosts& costs_of(const void* comm, int from, int to) {
  return virtual_costs(*static_cast<const KnownComm*>(comm), from, to);
}
int host_of(const void* comm, int rank) {
  return virtual_host(*static_cast<const KnownComm*>(comm), rank);
}
bool apart(const KnownComm& comm, int from, int to) {
  return virtual_host(comm, from) != virtual_host(comm, to) && place_of(comm, from) >= 0 &&
         place_of(comm, to) >= 0;
}
void sends(const void* of, int from, int to, double at_s) {
  const KnownComm& comm = *static_cast<const KnownComm*>(of);
  if (apart(comm, from, to)) note_told(place_of(comm, from), place_of(comm, to), at_s);
}
void reads(const void* of, int from, int to, uint64_t bytes, double came_s, double read_s) {
  const KnownComm& comm = *static_cast<const KnownComm*>(of);
  if (apart(comm, from, to))
    note_read(virtual_costs(comm, from, to), bytes, place_of(comm, from), place_of(comm, to),
              virtual_host(comm, to), came_s, read_s);
}
Cast cast_of(const KnownComm& comm, bool ports, bool nonblocking, const uint64_t* given_to) {
  Cast out{comm.size, &comm, costs_of, host_of, own_library.collectives, ports, false, nonblocking, given_to};
  if (ports) {
    out.sends = sends;
    out.reads = reads;
  }
  return out;
}

// When this rank is done with the communicator's `number`-th collective. `entered`: of all its ranks.
double done_at(const KnownComm& comm, uint64_t number, patterns::Operation operation, bool nonblocking,
               int root, const Entered* entered, const uint64_t* given_to = nullptr) {
  if (comm.size < 2) return entered[comm.rank].at_s;
  bool played = true;
  if (comm.key != unknown_key) {
    const Once once(comm.key, number, comm.size);
    if (once.displaced()) trouble(Trouble::virtual_uncontended);
    if (once.to_be_found())
      played = play_collective(cast_of(comm, true, nonblocking, given_to), operation, root, entered,
                               once.values(), play_memory);
    if (played && once.values() != nullptr) return once.values()[comm.rank];
  }
  // Nobody can be told: all play for themselves, where no other messages are in the way.
  trouble(Trouble::virtual_uncontended);
  auto* done_s = static_cast<double*>(malloc(sizeof(double) * static_cast<size_t>(comm.size)));
  double own_s = 0;
  if (done_s != nullptr && play_collective(cast_of(comm, false, nonblocking, given_to), operation, root,
                                           entered, done_s, play_memory))
    own_s = done_s[comm.rank];
  free(done_s);
  return own_s;
}

// Collective over it.
const uint64_t* tell_pairs(const KnownComm& comm, const patterns::Called<uint64_t(int)>& given_to) {
  if (!given_to || comm.size > paired_size) return nullptr;
  uint64_t* const own = pairs + static_cast<size_t>(comm.rank) * static_cast<size_t>(comm.size);
  for (int i = 0; i < comm.size; ++i) own[i] = given_to(i);
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pairs, comm.size, MPI_UINT64_T, comm.handle);
  return pairs;
}

}  // namespace

patterns::Operation collective_of(uint16_t call) {
  return call < most_calls ? operations[call] : patterns::Operation::barrier;
}

bool reserve_collectives(int ranks) {
  table = static_cast<Entered*>(malloc(sizeof(Entered) * static_cast<size_t>(ranks)));
  spares = static_cast<char*>(malloc(spare_count * begun_bytes(ranks)));
  if (ranks <= most_paired)
    pairs = static_cast<uint64_t*>(malloc(sizeof(uint64_t) * static_cast<size_t>(ranks * ranks)));
  if (table == nullptr || spares == nullptr || (ranks <= most_paired && pairs == nullptr)) return false;
  table_size = reserved_size = ranks;
  paired_size = pairs != nullptr ? ranks : 0;
  return true;
}

void exchange_collectives(bool all_reserved) {
  exchanging = all_reserved;
}

void know_collectives() {
  for (int i = 1; i < calls_count && i < most_calls; ++i)
    operations[i] = patterns::operation_of_call(call_names[i]);
}

void collective_virtually(const KnownComm& comm, uint16_t call, int root, uint64_t given, uint64_t got,
                          const patterns::Called<uint64_t(int)>& given_to) {
  if (comm.inter || !exchanging) {
    trouble(Trouble::virtual_not_costed);
    return;
  }
  if (table_size < comm.size) {  // it joins processes of several MPI_COMM_WORLDs
    void* const larger = realloc(table, sizeof(Entered) * static_cast<size_t>(comm.size));
    if (larger == nullptr) {
      trouble(Trouble::virtual_not_costed);
      return;
    }
    table = static_cast<Entered*>(larger);
    table_size = comm.size;
  }
  const Entered own{virtual_now_s(), given, got, virtual_looked_s()};
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, table, sizeof own, MPI_BYTE, comm.handle);
  const uint64_t* const told = tell_pairs(comm, given_to);
  reach_virtually(done_at(comm, comm.collectives++, collective_of(call), false, root, table, told));
}

void all_meet_virtually(const KnownComm& comm) {
  collective_virtually(comm, 0, 0, 0, 0, {});
}

void icollective_begins(const KnownComm& comm, uint16_t call, uint64_t serial, int root, uint64_t given,
                        uint64_t got) {
  if (comm.inter || !exchanging) {
    trouble(Trouble::virtual_not_costed);
    return;
  }
  // One piece of memory: what is begun, and what all ranks then tell.
  Begun* const begun = memory_for_begun(comm.size);
  if (begun == nullptr) {
    trouble(Trouble::virtual_not_costed);
    return;
  }
  *begun = {begun_ones,
            serial,
            MPI_REQUEST_NULL,
            comm.collectives++,
            call,
            root,
            {virtual_now_s(), given, got, virtual_looked_s()},
            reinterpret_cast<Entered*>(begun + 1),
            begun->spare};
  begun_ones = begun;
  PMPI_Iallgather(&begun->own, sizeof(Entered), MPI_BYTE, begun->all, sizeof(Entered), MPI_BYTE, comm.handle,
                  &begun->request);
}

void icollective_completes(const KnownComm& comm, uint64_t serial) {
  Begun** place = &begun_ones;
  while (*place != nullptr && (*place)->serial != serial) place = &(*place)->next;
  Begun* const begun = *place;
  if (begun == nullptr) return;
  *place = begun->next;
  PMPI_Wait(&begun->request, MPI_STATUS_IGNORE);
  reach_at_leave(done_at(comm, begun->number, collective_of(begun->call), true, begun->root, begun->all));
  give_back(begun);
}

}  // namespace ww::interpose

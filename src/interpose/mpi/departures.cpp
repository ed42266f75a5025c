#include "interpose/mpi/departures.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/entries.hpp"
#include "interpose/core/virtual_once.hpp"
#include "interpose/core/virtual_ports.hpp"
#include "interpose/core/virtual_streams.hpp"
#include "interpose/core/wire_clock.hpp"
#include "interpose/mpi/clock_exchange.hpp"
#include "interpose/mpi/dilated_collectives.hpp"
#include "interpose/mpi/far_departures.hpp"
#include "interpose/mpi/own_library.hpp"

namespace ww::interpose {

bool attending = false;

namespace {

int* place_of_rank = nullptr;  // by rank in the world: its place among those that share memory, -1: none
int world_size = 0;
void* shared = nullptr;
size_t shared_bytes = 0;

// A test asks for what each receive was told.
using Observer = void(int source, int tag, uint64_t when, uint64_t bytes, int known);
Observer* observer = nullptr;

enum class Way : uint8_t { memory, directory };
constexpr Way ways[] = {Way::memory, Way::directory};

// Makes the memory and a path by which the others can open it. Memory without a name is gone with the last
// process that has it, whatever happens; a file is removed as soon as all have it, and has its space at once,
// so that a full disk is known now and not at a store.
int make_shared(Way way, size_t bytes, const char* directory, char* path, size_t size) {
  path[0] = 0;
  int fd = -1;
  if (way == Way::memory) {
    fd = memfd_create("whatwire", MFD_CLOEXEC);
    if (fd < 0) return -1;
    snprintf(path, size, "/proc/%d/fd/%d", static_cast<int>(getpid()), fd);
    if (ftruncate(fd, static_cast<off_t>(bytes)) == 0) return fd;
  } else if (directory != nullptr && directory[0] == '/') {
    const int n = snprintf(path, size, "%s/stamps-%d", directory, static_cast<int>(getpid()));
    if (n > 0 && static_cast<size_t>(n) < size) fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 && posix_fallocate(fd, 0, static_cast<off_t>(bytes)) == 0) return fd;
    if (fd >= 0) unlink(path);
  }
  if (fd >= 0) close(fd);
  path[0] = 0;
  return -1;
}

void* map_shared(const char* path, size_t bytes) {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  close(fd);
  return at == MAP_FAILED ? nullptr : at;
}

// Collective over `sharing`. nullptr on all or on none.
void* agree_on_memory(MPI_Comm sharing, Way way, size_t bytes, const char* directory) {
  int own = 0;
  PMPI_Comm_rank(sharing, &own);
  char path[PATH_MAX] = {};
  const int fd = own == 0 ? make_shared(way, bytes, directory, path, sizeof path) : -1;
  PMPI_Bcast(path, sizeof path, MPI_CHAR, 0, sharing);
  void* at = path[0] != 0 ? map_shared(path, bytes) : nullptr;
  int mapped = at != nullptr ? 1 : 0, all = 0;
  PMPI_Allreduce(&mapped, &all, 1, MPI_INT, MPI_MIN, sharing);
  if (fd >= 0) close(fd);
  if (own == 0 && way == Way::directory && path[0] != 0) unlink(path);
  if (all != 0) return at;
  if (at != nullptr) munmap(at, bytes);
  return nullptr;
}

}  // namespace

bool share_stamps(MPI_Comm comm, const char* directory, bool for_virtual_time) {
  const int planes = for_virtual_time || injecting ? 2 : 1;
  MPI_Comm sharing = counter_comm(comm);
  int ranks = 0, own = 0;
  PMPI_Comm_size(sharing, &ranks);
  PMPI_Comm_rank(sharing, &own);
  world_size = world_comm.size;
  place_of_rank = static_cast<int*>(malloc(sizeof(int) * static_cast<size_t>(world_size)));
  auto* sharers = static_cast<int*>(malloc(sizeof(int) * static_cast<size_t>(ranks)));
  int ready = place_of_rank != nullptr && sharers != nullptr ? 1 : 0, all_ready = 0;
  PMPI_Allreduce(&ready, &all_ready, 1, MPI_INT, MPI_MIN, sharing);
  if (all_ready != 0) {
    PMPI_Allgather(&world_comm.rank, 1, MPI_INT, sharers, 1, MPI_INT, sharing);
    for (int rank = 0; rank < world_size; ++rank) place_of_rank[rank] = -1;
    for (int place = 0; place < ranks; ++place) place_of_rank[sharers[place]] = place;
    shared_bytes = stamp_memory(ranks, planes);
    shared_bytes += for_virtual_time ? once_memory(ranks) : entries_memory(ranks) + wire_clock_memory();
    if (planes == 2) shared_bytes += ports_memory(world_size, ranks) + streams_memory(ranks);
    for (const Way way : ways)
      if (shared == nullptr) shared = agree_on_memory(sharing, way, shared_bytes, directory);
  }
  free(sharers);
  PMPI_Comm_free(&sharing);
  if (shared == nullptr) {
    trouble(Trouble::stamps_not_shared);
    return false;
  }
  start_stamps(shared, ranks, own, planes);
  char* next = static_cast<char*>(shared) + stamp_memory(ranks, planes);
  if (planes == 2) {
    start_ports(next, world_size, ranks);
    next += ports_memory(world_size, ranks);
    start_streams(next, ranks);
    next += streams_memory(ranks);
  }
  if (for_virtual_time) {
    start_once(next, ranks);
  } else {
    start_entries(next, own);
    share_wire_clock(next + entries_memory(ranks), own == 0);
  }
  return ranks == world_size;
}

int place_of(const KnownComm& comm, int rank) {
  if (rank < 0 || rank >= comm.other_size || comm.world_ranks == nullptr || comm.key == unknown_key)
    return -1;
  const int world = comm.world_ranks[rank];
  return world < 0 || world >= world_size ? -1 : place_of_rank[world];
}

namespace {

// A rank that shares no memory with this one, by its number in the world; -1: it does, or is not known.
int far_rank(const KnownComm& comm, int rank) {
  if (rank < 0 || rank >= comm.other_size || comm.world_ranks == nullptr || comm.key == unknown_key)
    return -1;
  const int world = comm.world_ranks[rank];
  return world < 0 || world >= world_size || place_of_rank[world] >= 0 ? -1 : world;
}

}  // namespace

int sender_number(const KnownComm& comm, int rank) {
  const int far = far_rank(comm, rank);
  return far < 0 ? place_of(comm, rank) : world_size + far;
}

void end_stamps() {
  stop_large_messages();
  stop_stamps();
  stop_entries();
  unshare_wire_clock();
  if (shared != nullptr) munmap(shared, shared_bytes);
  shared = nullptr;
  free(place_of_rank);
  place_of_rank = nullptr;
}

uint32_t stamp_departure(const KnownComm& comm, int dest, int tag, uint64_t bytes, uint64_t when) {
  const Stamp stamp{comm.key, bytes, when, tag};
  if (const int place = place_of(comm, dest); place >= 0) return put_stamp(place, stamp);
  if (const int far = far_rank(comm, dest); far >= 0) tell_far(far, stamp);
  return 0;
}

namespace {

// Of operations by serial; those that are open are fewer.
constexpr uint64_t kept = 1u << 16;
uint64_t began[kept];

constexpr uint32_t most_starts = 4096;  // of one call; the others count as begun when it is made

// Messages that MPI_Mprobe took and nobody received yet, by serial.
struct Early {
  uint64_t next_serial;  // 0: none
  Stamp stamp;
  bool known;
};
constexpr uint64_t most_early = 4096;
Early early_ones[most_early];

}  // namespace

uint64_t latest_departure() {
  return this_thread->departs;
}
void note_departure(uint64_t serial) {
  began[serial % kept] = latest_departure();
}
void note_posting(uint64_t serial) {
  began[serial % kept] = ticks();
}

void begins_dilated(const KnownComm& comm, const OpenOperation& next) {
  const bool sends = next.kind == static_cast<uint8_t>(spool::Kind::isend);
  if (sends)
    departing(comm, next.peer, next.tag, next.bytes);
  else if (postings_told)
    posts_in_turn(comm, next.peer >= 0 ? next.peer : MPI_ANY_SOURCE,
                  next.tag == spool::any_tag ? MPI_ANY_TAG : next.tag);
  if (postings_told) note_starting(sends);
  Thread& thread = *this_thread;
  auto* const starting = static_cast<uint64_t*>(thread.starting.need(sizeof(uint64_t) * most_starts));
  if (starting != nullptr && thread.begun < most_starts)
    starting[thread.begun++] = sends ? thread.departs : ticks();
}

void started_dilated(const OpenOperation& operation) {
  const auto kind = static_cast<spool::Kind>(operation.kind);
  if (kind != spool::Kind::isend && kind != spool::Kind::irecv) return;
  Thread& thread = *this_thread;
  const auto* const starting = static_cast<const uint64_t*>(thread.starting.at);
  began[operation.serial % kept] = thread.started < thread.begun ? starting[thread.started++] : ticks();
  if (thread.started == thread.begun) thread.started = thread.begun = 0;
}

void departing(const KnownComm& comm, int dest, int tag, uint64_t bytes) {
  uint64_t& departs = this_thread->departs;
  departs = 0;
  if (dest < 0) return;
  if (virtual_time) return departs_virtually(comm, dest, tag, bytes);
  if (postings_told) before_departure(comm, dest, bytes);
  departs = ticks();
  if (injecting && !is_itself(comm, dest))
    departs =
        delay_departure(*this_thread, on_other_host(comm, dest), bytes, departs, sender_number(comm, dest));
  if (postings_told) departs = departs_in_turn(comm, dest, bytes, departs);
  const uint32_t number = stamping ? stamp_departure(comm, dest, tag, bytes, departs) : 0;
  if (postings_told) departed_in_turn(comm, dest, tag, bytes, departs, number);
}

bool take_departure(const KnownComm& comm, int source, Stamp& stamp) {
  const int place = place_of(comm, source);
  const int far = far_rank(comm, source);
  const bool known = place >= 0 ? take_stamp(place, stamp) : far >= 0 && take_far(far, stamp);
  if (!known) trouble(Trouble::departure_unknown);
  if (__builtin_expect(observer != nullptr, 0))
    observer(source, stamp.tag, stamp.when, stamp.bytes, known ? 1 : 0);
  return known;
}

void keep_departure(const KnownComm& comm, const Received& got, uint64_t serial) {
  Early& early = early_ones[serial % most_early];
  early.stamp = {comm.key, got.bytes, 0, got.tag};
  early.known = got.source >= 0 && take_departure(comm, got.source, early.stamp);
  early.next_serial = serial + 1;
}

bool departure_of(const KnownComm& comm, int source, uint64_t serial, Stamp& stamp) {
  Early& early = early_ones[serial % most_early];
  if (serial == no_serial || early.next_serial != serial + 1) return take_departure(comm, source, stamp);
  early.next_serial = 0;
  stamp = early.stamp;
  return early.known;
}

bool makes_library_read(uint64_t own_message_bytes) {
  return own_library.own_messages_read_from_bytes > 0 && own_message_bytes != any_size &&
         own_message_bytes >= own_library.own_messages_read_from_bytes;
}

void lose_departures_to(const KnownComm& comm, int dest) {
  if (const int place = place_of(comm, dest); place >= 0) lose_stamps_to(place);
  if (const int far = far_rank(comm, dest); far >= 0) lose_far_to(far);
}

void Arrivals::completion(const OpenOperation& operation, const Received& got) {
  const auto kind = static_cast<spool::Kind>(operation.kind);
  const KnownComm& comm = known_comm_by_id(operation.comm);
  if (kind == spool::Kind::isend && got.cancelled && (operation.flags & flag_cancel_asked) != 0 && stamping)
    lose_departures_to(comm, operation.peer);
  const uint64_t began_at = injecting ? began[operation.serial % kept] : 0;
  if (kind == spool::Kind::isend && !got.cancelled)
    sent(comm, operation.peer, operation.tag, operation.bytes, began_at, sent_by(operation.serial));
  if (virtual_time && kind == spool::Kind::isend && !got.cancelled) send_completes(operation);
  if (virtual_time && kind == spool::Kind::icollective) icollective_completes(comm, operation.serial);
  if (injecting && kind == spool::Kind::icollective)
    injection_.until(icollective_deadline(comm, operation.serial, injection_.back()));
  if (kind != spool::Kind::irecv) return;
  const Posted posted{began_at, postings_told ? posted_at(operation.serial) : Posting{}, operation.serial};
  if ((operation.flags & flag_with_send) != 0)
    message(comm, operation.peer, operation.tag, any_size, posted, false);
  else if (!got.cancelled)
    message(comm, got.source, got.tag, got.bytes, posted, (operation.flags & spool::flag_wildcard) != 0);
}

void lose_departures_from(const KnownComm& comm, int source) {
  const int first = source == MPI_ANY_SOURCE ? 0 : source;
  const int end = source == MPI_ANY_SOURCE ? comm.other_size : source + 1;
  for (int rank = first; rank < end; ++rank) {
    if (const int place = place_of(comm, rank); place >= 0) lose_stamps_from(place);
    if (const int far = far_rank(comm, rank); far >= 0) lose_far_from(far);
  }
}

}  // namespace ww::interpose

// For tests/mpi/departures.c.
extern "C" __attribute__((visibility("default"))) void ww_observe_departures(
    ww::interpose::Observer* wanted) {
  ww::interpose::observer = wanted;
}

// Departures of messages (core/stamps.hpp) in terms of MPI, and what the wrappers do with them.
#pragma once
#include <mpi.h>

#include "interpose/core/injection.hpp"
#include "interpose/core/stamps.hpp"
#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/dilated_messages.hpp"
#include "interpose/mpi/frame.hpp"
#include "interpose/mpi/hosts.hpp"
#include "interpose/mpi/language.hpp"
#include "interpose/mpi/requests.hpp"
#include "interpose/mpi/virtual_messages.hpp"

namespace ww::interpose {

// Collective over `comm`, a duplicate of MPI_COMM_WORLD, after exchange_clocks: shares memory among the ranks
// of each counter. Where that is impossible nothing is stamped there, and it is said.
// Gives whether all ranks of the world share it. For virtual time the hosts' ports are in it, too.
bool share_stamps(MPI_Comm comm, const char* directory, bool for_virtual_time);
void end_stamps();

// Before a message is handed to the library, while `stamping`. `dest` is a rank in `comm`; what is no rank
// (MPI_PROC_NULL) has no stamp. Gives its number (put_stamp).
uint32_t stamp_departure(const KnownComm& comm, int dest, int tag, uint64_t bytes, uint64_t when);

// Of a message that was received: its stamp. Given are its tag and the bytes that were received, or any_size;
// they become what was sent. False, and counted: not known (it came before its stamp, or over a
// communicator that not all know by one number, or see stamps.hpp).
bool take_departure(const KnownComm& comm, int source, Stamp& stamp);

// Of a message that MPI_Mprobe took, for the receive of that serial: receives of the same tag that complete
// before it must not take its stamp.
void keep_departure(const KnownComm& comm, const Received& got, uint64_t serial);

int place_of(const KnownComm& comm, int rank);       // as stamps.hpp counts; -1: none
int sender_number(const KnownComm& comm, int rank);  // another one for each rank of the world; -1: not of it

// The stamps of later messages to that rank (from that rank, or all for MPI_ANY_SOURCE) can no longer be told
// apart: a send failed or was cancelled (a receive that nobody will see complete).
void lose_departures_to(const KnownComm& comm, int dest);
void lose_departures_from(const KnownComm& comm, int source);

// Before a message is handed to the library, while attending: what is injected there passes, and it is
// stamped.
void departing(const KnownComm& comm, int dest, int tag, uint64_t bytes);
uint64_t latest_departure();  // when this thread's latest message departs, in ticks; not in virtual time

// While injecting, of operations by serial: when the latest departure was, or that the receive was posted
// now.
void note_departure(uint64_t serial);
void note_posting(uint64_t serial);
// The same of requests that one call starts, in their order: before the call, and when their serials are
// known.
void begins_dilated(const KnownComm& comm, const OpenOperation& next);
void started_dilated(const OpenOperation& operation);

extern bool attending;  // injecting or stamping: what a call sends and receives matters

// Around the call that sends; nothing but a branch unless attending.
WW_ALWAYS_INLINE inline void departs(const Frame& frame, MPI_Comm comm, int dest, int tag, int64_t count,
                                     MPI_Datatype type) {
  if (__builtin_expect(attending, 0) && frame.on())
    departing(known_comm(comm), dest, tag, bytes_of(count, type));
}
WW_ALWAYS_INLINE inline void departed(const Frame& frame, int rc, MPI_Comm comm, int dest) {
  if (__builtin_expect(stamping, 0) && frame.on() && rc != MPI_SUCCESS)
    lose_departures_to(known_comm(comm), dest);
}

// After a call that sent and blocks.
WW_ALWAYS_INLINE inline void sent_blocking(const Frame& frame, MPI_Comm comm, int dest, int tag,
                                           int64_t count, MPI_Datatype type, bool synchronous) {
  if (__builtin_expect(stamping, 0) && virtual_time && frame.on())
    waits_for_receiver(known_comm(comm), dest, tag, bytes_of(count, type), synchronous);
}
// Before a call that posts a receive, while postings_told.
inline void posting(const KnownComm& comm, int source, int tag) {
  virtual_time ? posts_virtually(comm, source, tag) : posts_in_turn(comm, source, tag);
}
WW_ALWAYS_INLINE inline void posts(const Frame& frame, MPI_Comm comm, int source, int tag) {
  if (__builtin_expect(postings_told, 0) && frame.on()) posting(known_comm(comm), source, tag);
}

// A message to oneself crosses no wire.
inline bool is_itself(const KnownComm& comm, int rank) {
  return !comm.inter && rank == comm.rank;
}

// take_departure, or what keep_departure kept.
inline constexpr uint64_t no_serial = ~0ull;
bool departure_of(const KnownComm& comm, int source, uint64_t serial, Stamp& stamp);

// A test or a probe found nothing, or a probe something: the library has read what there was.
inline void library_read() {
  if (virtual_time)
    found_nothing();
  else if (postings_told)
    this_thread->read = ticks();
}
bool makes_library_read(uint64_t own_message_bytes);  // Library::own_messages_read_from_bytes

// When a receive was posted.
struct Posted {
  uint64_t ticks;               // 0: by the call that received it
  Posting in_turn;              // while postings_told
  uint64_t serial = no_serial;  // of its operation
};

// The messages that one call received: each one's departure is taken, and when it goes out of scope, before
// the call returns, the call is held back (Injection).
class Arrivals {
 public:
  Arrivals(const Frame& frame, bool waits) : injection_(frame.enter_ticks(), waits) {}

  // `posted`: when its receive was; `wildcard`: it named no source or no tag.
  void message(const KnownComm& comm, int source, int tag, uint64_t bytes, const Posted& posted,
               bool wildcard) {
    if (source < 0) return;
    Stamp stamp{comm.key, bytes, 0, tag};
    const bool known = stamping && departure_of(comm, source, posted.serial, stamp);
    uint64_t wanted = 0;
    if (virtual_time && known)
      arrives_virtually(virtually_, comm, source, stamp, posted.in_turn, wildcard);
    else if (postings_told && known)
      wanted = arrives_in_turn(comm, source, stamp, posted.in_turn, wildcard);
    if (bytes == any_size) bytes = stamp.bytes;
    if (postings_told && is_itself(comm, source) && makes_library_read(bytes)) injection_.reads();
    if (injecting && bytes != any_size && !is_itself(comm, source))
      injection_.message({on_other_host(comm, source), bytes, stamp.when, posted.ticks,
                          sender_number(comm, source), wanted});
  }
  void message(const KnownComm& comm, const Received& got, bool wildcard) {
    message(comm, got.source, got.tag, got.bytes, {0, posted_by_call()}, wildcard);
  }
  // `departed`: as departing() gave it; `in_turn`: the same message, while postings_told.
  void sent(const KnownComm& comm, int dest, int tag, uint64_t bytes, uint64_t departed,
            const SentLarge& in_turn) {
    if (!injecting || dest < 0 || is_itself(comm, dest)) return;
    if (postings_told && in_turn.number > 0)
      injection_.until(run_ticks(send_ends_s(comm, dest, tag, bytes, in_turn)));
    else
      injection_.sent(on_other_host(comm, dest), bytes, departed);
  }
  // `got` is the status, empty where there is none.
  void completion(const OpenOperation& operation, const Received& got);

 private:
  Injection injection_;
  VirtualArrivals virtually_;
};

}  // namespace ww::interpose

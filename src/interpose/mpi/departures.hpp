// Departures of messages (core/stamps.hpp) in terms of MPI, and what the wrappers do with them.
#pragma once
#include <mpi.h>

#include "interpose/core/injection.hpp"
#include "interpose/core/stamps.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/hosts.hpp"
#include "interpose/mpi/language.hpp"
#include "interpose/mpi/requests.hpp"

namespace ww::interpose {

// Collective over `comm`, a duplicate of MPI_COMM_WORLD, after exchange_clocks: shares memory among the ranks
// of each counter. Where that is impossible nothing is stamped there, and it is said.
void share_stamps(MPI_Comm comm, const char* directory);
void end_stamps();

// Before a message is handed to the library, while `stamping`. `dest` is a rank in `comm`; what is no rank
// (MPI_PROC_NULL) has no stamp.
void stamp_departure(const KnownComm& comm, int dest, int tag, uint64_t bytes, uint64_t when);

// Of a message that was received: when it departed. `bytes`: what was received, or any_size; becomes what was
// sent. False, and counted: not known (it came from another machine, or over a communicator that not all know
// by one number, or see stamps.hpp).
bool take_departure(const KnownComm& comm, int source, int tag, uint64_t& when, uint64_t& bytes);

// The stamps of later messages to that rank (from that rank, or all for MPI_ANY_SOURCE) can no longer be told
// apart: a send failed or was cancelled (a receive that nobody will see complete).
void lose_departures_to(const KnownComm& comm, int dest);
void lose_departures_from(const KnownComm& comm, int source);

// Around the call that sends; nothing but a branch unless stamping.
WW_ALWAYS_INLINE inline void departs(const Frame& frame, MPI_Comm comm, int dest, int tag, int64_t count,
                                     MPI_Datatype type) {
  if (__builtin_expect(stamping, 0) && frame.on())
    stamp_departure(known_comm(comm), dest, tag, bytes_of(count, type), frame.enter_ticks());
}
WW_ALWAYS_INLINE inline void departed(const Frame& frame, int rc, MPI_Comm comm, int dest) {
  if (__builtin_expect(stamping, 0) && frame.on() && rc != MPI_SUCCESS)
    lose_departures_to(known_comm(comm), dest);
}

extern bool attending;  // injecting or stamping: what a call received matters

// The messages that one call received: each one's departure is taken, and when it goes out of scope, before
// the call returns, the call is held back (Injection) if it waits: a test is not.
class Arrivals {
 public:
  Arrivals(const Frame& frame, bool waits) : injection_(frame), injects_(injecting && waits) {}

  void message(const KnownComm& comm, int source, int tag, uint64_t bytes) {
    if (source < 0) return;
    uint64_t when = 0, sent = bytes;
    if (stamping) take_departure(comm, source, tag, when, sent);
    if (injects_) injection_.message(on_other_host(comm, source), bytes == any_size ? sent : bytes);
  }
  void message(const KnownComm& comm, const Received& got) { message(comm, got.source, got.tag, got.bytes); }
  // `got` is the status, empty where there is none.
  void completion(const Operation& operation, const Received& got);

 private:
  Injection injection_;
  bool injects_;
};

}  // namespace ww::interpose

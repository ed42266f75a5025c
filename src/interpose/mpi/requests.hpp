// Open operations by request handle. A handle does not name an operation: MPI libraries give the same handle
// to several operations that are in flight together (all that go to MPI_PROC_NULL share one in Open MPI), and
// reuse it at once. So each handle has a queue of own serials, in the order of posting; a completion takes
// the oldest. Nothing is allocated: the table has its size, and what does not fit is counted as a diagnostic.
// With MPI_THREAD_MULTIPLE each bucket is locked for itself, so that threads meet only at handles that they
// share. An operation is taken before the blocking call that waits for it (its handle may be given away by
// another thread before that call returns), or after a test that found it complete.
#pragma once
#include <mpi.h>
#include <stdint.h>

#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/frame.hpp"
#include "interpose/mpi/handles.hpp"

namespace ww::interpose {

// Of Operation::flags only, never of a record.
inline constexpr uint8_t flag_cancel_asked = 128;
inline constexpr uint8_t flag_with_send =
    64;  // a receive and, with the next serial, a send that end together
inline constexpr uint8_t flags_of_operation = flag_cancel_asked | flag_with_send;

extern uint64_t serials;  // given so far
inline uint64_t new_serial() {
  if (__builtin_expect(concurrent, 0)) return __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
  return ++serials;
}
uint64_t new_serials(uint64_t count);  // that follow one another; the first
// Touches what the first calls use, which would else wait for its pages.
void touch_requests();

inline constexpr OpenOperation no_operation{
    0, 0, spool::no_peer, 0, 0, static_cast<uint8_t>(spool::Kind::call), 0};
inline bool followed(const OpenOperation& operation) {
  return operation.kind != static_cast<uint8_t>(spool::Kind::call);
}

// Of a communicator that is being made, in the place of peer and tag, which it has none of.
inline void keep_origin(OpenOperation& making, const Origin& origin) {
  static_assert(sizeof making.peer + sizeof making.tag == sizeof origin.base);
  making.peer = static_cast<int32_t>(static_cast<uint32_t>(origin.base >> 32));
  making.tag = static_cast<int32_t>(static_cast<uint32_t>(origin.base));
  making.flags = origin.counted ? spool::flag_wildcard : 0;
}
inline Origin kept_origin(const OpenOperation& making) {
  return {static_cast<uint64_t>(static_cast<uint32_t>(making.peer)) << 32 | static_cast<uint32_t>(making.tag),
          (making.flags & spool::flag_wildcard) != 0};
}

void opened_as(MPI_Request request, uint64_t serial, uint64_t bytes, int32_t peer, int32_t tag, uint32_t comm,
               uint8_t kind, uint8_t flags);
// Field by field: a struct that is stored in parts and loaded whole stalls the processor.
WW_ALWAYS_INLINE inline void opened(MPI_Request request, const OpenOperation& operation) {
  opened_as(request, operation.serial, operation.bytes, operation.peer, operation.tag, operation.comm,
            operation.kind, operation.flags);
}
// A request that is started again and again; `operation` is what each start begins.
void opened_persistent(MPI_Request request, const OpenOperation& operation);
// What a persistent request must know beside its Operation.
struct PersistentCall {
  uint64_t given = 0;    // bytes of a collective
  void* more = nullptr;  // malloc'ed, freed with the request: a Given of a collective, an Exchange of a
                         // neighbourhood collective (neighbours.hpp)
};
void keep_beside(MPI_Request request, const PersistentCall& beside);
PersistentCall kept_beside(MPI_Request request);
// The start of a persistent request: what has begun, with its serial. kind == call: not known.
OpenOperation started(MPI_Request request);

// The oldest open operation of the request, taken out. kind == call: not followed (file I/O, one-sided), or
// not active.
OpenOperation take(MPI_Request request);
OpenOperation look(MPI_Request request);
OpenOperation look_idle(MPI_Request request);  // what the next start of it begins
// Taken before a call that failed without completing it.
void put_back(MPI_Request request, const OpenOperation& operation);
void cancel_asked(MPI_Request request);
// MPI_Request_free: the operation goes on, but nobody will see it complete; a persistent one ceases to exist.
void forgotten(MPI_Request request);

// A matched message between MPI_Mprobe and MPI_Mrecv.
void matched(MPI_Message message, const OpenOperation& operation);
OpenOperation take_matched(MPI_Message message);

}  // namespace ww::interpose

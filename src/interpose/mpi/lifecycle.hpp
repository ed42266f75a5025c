// MPI_Init to MPI_Finalize: turning the recorder on and off, definitions of the process, exchange of clocks.
// Or from the first session to the last: each of them, and MPI_Init, is a use of MPI, and the recording ends
// with the last use.
#pragma once
#include "interpose/core/markers.hpp"
#include "interpose/core/memory_use.hpp"
#include "interpose/core/program_clock.hpp"
#include "interpose/core/program_threads.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/seen_functions.hpp"
#include "interpose/mpi/collective_calls.hpp"

namespace ww::interpose {

void before_init();
void after_init();               // may turn the recorder on
void start_clocks_of_program();  // the last thing before MPI_Init returns
bool this_use_is_last();         // the next that ends
bool last_use_ends();            // one use fewer; true: none is left
void use_goes_on();              // it has not ended, after all
void before_last_end();
void before_finalize();
void after_last_end();  // the record of the last call is written

// `begins` is after_init, or its like for a session.
template <class Call, class Begins>
int begin_use(uint16_t id, Call&& call, Begins&& begins) {
  if (active) {
    const int rc = plain(id, call);
    if (rc == MPI_SUCCESS) begins();
    return rc;
  }
  const InsideLibrary inside;
  before_init();
  const uint64_t enter = ticks();
  const int rc = call();
  if (rc != MPI_SUCCESS) return rc;
  begins();
  Thread* thread = attach_thread();
  if (thread == nullptr) return rc;
  const uint64_t leave = virtual_time ? leave_virtually(*thread) : ticks();
  const spool::Record record{enter < leave ? enter : leave,    leave, 0, 0, spool::no_peer, 0, 0,
                             static_cast<uint8_t>(Kind::call), 0,     id};
  put(thread->spool, record);
  if (dilating) computes_from(*thread, record.leave_ticks);
  thread->last_leave = record.leave_ticks;
  begin_early_regions(*thread, record.leave_ticks);
  begin_functions(*thread, record.leave_ticks);
  begin_memory();
  start_clocks_of_program();
  return rc;
}

template <class Call>
int init(uint16_t id, Call&& call) {
  return begin_use(id, call, after_init);
}

template <class Call>
int end_use(uint16_t id, bool of_world, Call&& call) {
  bool last = false;
  int rc = MPI_SUCCESS;
  if (active && this_use_is_last()) end_functions();
  {
    Frame frame(id);
    frame.waits();
    if (frame.on()) {
      last = last_use_ends();
      if (last) before_last_end();
      if (of_world) before_finalize();
    }
    rc = call();
    if (frame.on() && rc != MPI_SUCCESS) {  // of a session that is none
      use_goes_on();
      last = false;
    }
    if (frame.leave()) frame.put_call();
  }
  if (last) after_last_end();
  return rc;
}

template <class Call>
int finalize(uint16_t id, Call&& call) {
  return end_use(id, true, call);
}

#if MPI_VERSION >= 4
void after_session_init(MPI_Session session);  // may turn the recorder on

template <class L, class Call>
int session_init(uint16_t id, const typename L::Session* session, Call&& call) {
  return begin_use(id, call, [&] { after_session_init(L::session(*session)); });
}

template <class Call>
int session_finalize(uint16_t id, Call&& call) {
  return end_use(id, false, call);
}
#endif

// MPI_Abort does not come back: its record and the end are written before.
template <class Call>
int abort_all(uint16_t id, Call&& call) {
  {
    Frame frame(id);
    if (frame.leave()) frame.put_call();
  }
  if (active) finish("abort");
  return call();
}

template <class Call>
double wtime(uint16_t id, Call&& call) {
  double value = 0;
  {
    Frame frame(id);
    value = call();
    if (frame.leave()) frame.put_call();
  }
  return program_wtime(value);
}

}  // namespace ww::interpose

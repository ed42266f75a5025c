// MPI_Init to MPI_Finalize: turning the recorder on and off, definitions of the process, exchange of clocks.
#pragma once
#include "interpose/core/markers.hpp"
#include "interpose/core/program_clock.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/mpi/collectives.hpp"

namespace ww::interpose {

void before_init();
void after_init();               // may turn the recorder on
void start_clocks_of_program();  // the last thing before MPI_Init returns
void before_finalize();
void after_finalize();  // the record of MPI_Finalize itself is written

template <class Call>
int init(uint16_t id, Call&& call) {
  before_init();
  const uint64_t enter = ticks();
  const int rc = call();
  if (rc != MPI_SUCCESS) return rc;
  after_init();
  Thread* thread = attach_thread();
  if (thread == nullptr) return rc;
  const spool::Record record{enter, ticks(), 0, 0, spool::no_peer, 0, 0, static_cast<uint8_t>(Kind::call),
                             0,     id};
  put(thread->spool, record);
  thread->last_leave = record.leave_ticks;
  begin_early_regions(*thread, record.leave_ticks);
  start_clocks_of_program();
  return rc;
}

template <class Call>
int finalize(uint16_t id, Call&& call) {
  bool recorded = false;
  int rc = MPI_SUCCESS;
  {
    Frame frame(id);
    recorded = frame.on();
    if (recorded) before_finalize();
    rc = call();
    if (frame.leave()) frame.put_call();
  }
  if (recorded) after_finalize();
  return rc;
}

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

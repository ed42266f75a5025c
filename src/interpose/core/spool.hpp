// The writer of one thread's spool (spool_format.hpp): a file that grows in large steps and is written
// through a shared mapping, so that a record survives the process from the moment it is stored.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/spool_format.hpp"

// On the path of every recorded call, where a call instruction is a measurable part of the cost.
#define WW_ALWAYS_INLINE __attribute__((always_inline))

namespace ww::interpose {

struct Spool {
  spool::Record* next = nullptr;   // where the next record goes
  spool::Record* ready = nullptr;  // end of the records whose pages are prepared
  // Creates the file. False: not possible; every later record is dropped.
  bool open(const char* dir, int rank, int thread);
  // Cuts the file to its content and lets go of it.
  void close();
  // The slow path of put: prepares further pages, or maps the next step of the file. nullptr: the record is
  // dropped.
  spool::Record* more();
  uint64_t records() const;
  uint64_t dropped() const { return dropped_; }

 private:
  bool map_step();

  char path_[512] = {};
  spool::SpoolHeader* header_ = nullptr;
  char* step_ = nullptr;      // the mapped part of the file
  uint64_t step_offset_ = 0;  // where it begins in the file
  uint64_t full_steps_records_ = 0;
  uint64_t dropped_ = 0;
  bool failed_ = true;
};

// One record, `call` last: the reader takes a record whose `call` is not 0 as complete.
WW_ALWAYS_INLINE inline void put(Spool& spool, const spool::Record& record) {
  spool::Record* place = spool.next;
  if (__builtin_expect(place == spool.ready, 0)) {
    place = spool.more();
    if (place == nullptr) return;
  }
  place->enter_ticks = record.enter_ticks;
  place->leave_ticks = record.leave_ticks;
  place->bytes = record.bytes;
  place->operation = record.operation;
  place->peer = record.peer;
  place->tag = record.tag;
  place->comm = record.comm;
  place->kind = record.kind;
  place->flags = record.flags;
  __atomic_store_n(&place->call, record.call, __ATOMIC_RELEASE);
  spool.next = place + 1;
}

}  // namespace ww::interpose

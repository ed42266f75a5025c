// The writer of one thread's spool (spool_format.hpp): a file that grows in large steps and is written
// through a shared mapping, so that a record survives the process from the moment it is stored.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/spool_format.hpp"

// On the path of every recorded call, where a call instruction is a measurable part of the cost.
#define WW_ALWAYS_INLINE __attribute__((always_inline))

namespace ww::interpose {

// Every record goes through put_carefully (control.hpp): something is left out, or each is to be on disk.
extern bool careful;

struct Spool {
  spool::Record* next = nullptr;   // where the next record goes
  spool::Record* ready = nullptr;  // up to here records are simply stored; nullptr while `careful`
  uint32_t regions_left_out = 0;   // of this thread, that are open: their ends are left out too
  // Where the latest collective was counted that was left out, and with it its sent_to; nullptr: it was not.
  uint64_t* collective_left_out = nullptr;
  // Creates the file. False: not possible; every later record is dropped.
  bool open(const char* dir, int rank, int thread);
  // Cuts the file to its content and lets go of it.
  void close();
  // The place of the next record; prepares further pages or maps the next step of the file when it must.
  // nullptr: the record is dropped.
  spool::Record* place();
  // Returns when all records are on disk.
  void sync();
  // For the counts that outlive the process; nullptr without a file.
  spool::SpoolHeader* header() { return header_; }
  uint64_t records() const;
  uint64_t dropped() const { return dropped_; }

 private:
  bool map_step();
  spool::Record* more();

  spool::Record* prepared_ = nullptr;  // end of the records whose pages are prepared
  char path_[512] = {};
  spool::SpoolHeader* header_ = nullptr;
  char* synced_ = nullptr;    // up to here the step is on disk
  char* step_ = nullptr;      // the mapped part of the file
  uint64_t step_offset_ = 0;  // where it begins in the file
  uint64_t full_steps_records_ = 0;
  uint64_t dropped_ = 0;
  bool failed_ = true;
};

// One record, `call` last: the reader takes a record whose `call` is not 0 as complete.
WW_ALWAYS_INLINE inline void store(spool::Record* place, const spool::Record& record) {
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
}

void put_slowly(Spool& spool, const spool::Record& record);

WW_ALWAYS_INLINE inline void put(Spool& spool, const spool::Record& record) {
  spool::Record* place = spool.next;
  // another thread may ask this one to be careful at any time, by taking `ready` away
  if (__builtin_expect(place >= __atomic_load_n(&spool.ready, __ATOMIC_RELAXED), 0)) {
    // A copy made here and only here: a record whose address is taken would be built in memory on the quick
    // path too, and read back from there in pieces that are not those it was written in.
    spool::Record copy;
    store(&copy, record);
    put_slowly(spool, copy);
    return;
  }
  store(place, record);
  spool.next = place + 1;
}

}  // namespace ww::interpose

// The writer of one spool (spool_format.hpp): a file that grows by need and is written through a shared
// mapping, so that a record survives the process from the moment it is stored.
//
// A file is ahead of its records by an eighth of them, and by prepared pages: as much as there are records, at
// most 192 KiB, and where a process has more than 85 files, at most 16 MiB shared among them (but 24 KiB each).
// The file of the process's first thread begins with 192 KiB, others with 16 KiB.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/spool_format.hpp"

// On the path of every recorded call, where a call instruction is a measurable part of the cost.
#define WW_ALWAYS_INLINE __attribute__((always_inline))

namespace ww::interpose {

// Every record goes through put_carefully (selection_control.hpp): something is left out, or each is to be on disk.
extern bool careful;

// What files of a process are called by, and who it is: a rank, or (rank -1) a task of that address, or a daemon.
struct ProcessName {
  char text[32] = "";  // "rank-3", "task-000000000004000b", "daemon-1"
  int rank = -1;
  uint64_t address = 0;
};
ProcessName name_of_rank(int rank);
ProcessName name_of_task(uint64_t address);
ProcessName name_of_daemon(int number);

struct Spool {
  spool::Record* next = nullptr;   // where the next record goes
  spool::Record* ready = nullptr;  // up to here records are simply stored; nullptr while `careful`
  uint32_t regions_left_out = 0;   // of this thread, that are open: their ends are left out too
  // Where the latest collective was counted that was left out, and with it its sent_to; nullptr: it was not.
  uint64_t* collective_left_out = nullptr;
  // Creates the file; `dir` and `process` stay where they are. False: not possible; every later record is dropped.
  bool open(const char* dir, const ProcessName& process, int thread);
  // Another thread goes on in the file, the `number`-th of the process, after the one that had it ended.
  void pass_on(uint64_t number, uint64_t last_leave);
  // Cuts the file to its content and lets go of it.
  void close();
  // Takes no more records, and cuts off what they do not reach: a thread that is not this one may be about to
  // store its last one.
  void close_in_use();
  // The place of the next record; prepares further pages or maps the next part of the file when it must.
  // nullptr: the record is dropped.
  spool::Record* place();
  // The same for what is said before the call has returned (note_call); what is dropped there is not counted.
  spool::Record* place_ahead();
  // What was said there no longer holds: the call returned, and leaves no record.
  void forget_note();
  // Returns when all records are on disk.
  void sync();
  // For the counts that outlive the process; nullptr without a file.
  spool::SpoolHeader* header() { return header_; }
  uint64_t records() const;
  uint64_t dropped() const { return dropped_; }

 private:
  enum class State : uint8_t { failed, open, closed };

  bool map_window(int fd, uint64_t offset, size_t bytes);
  bool reserve_to(int fd, uint64_t end);
  bool prepare(int fd);
  bool grow();
  bool extend();
  void path(char* text, size_t size) const;
  spool::Record* more();

  spool::Record* prepared_ = nullptr;  // end of the records whose pages are prepared
  spool::SpoolHeader* header_ = nullptr;
  char* synced_ = nullptr;       // up to here the window is on disk
  char* window_ = nullptr;       // the mapped part of the file
  uint64_t window_offset_ = 0;   // where it begins in the file
  size_t window_bytes_ = 0;      // how much is mapped, of which the file may be shorter
  uint64_t reserved_ = 0;        // blocks of the file up to here are there
  uint64_t passed_records_ = 0;  // in earlier windows
  uint64_t dropped_ = 0;
  const char* dir_ = "";
  const ProcessName* process_ = nullptr;
  int thread_ = 0;
  int busy_ = 0;  // somebody grows it or closes it
  State state_ = State::failed;
};

// Before the first spool: how much the disk has now, of which a part is left to the archive. All ranks record
// into one directory.
void begin_spools(const char* dir, int ranks);

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

// What a call that is about to wait waits for ("The call that a thread is in" in spool_format.hpp).
WW_ALWAYS_INLINE inline void note_call(Spool& spool, uint16_t call, uint64_t enter_ticks, spool::Kind kind,
                                       uint64_t bytes, int32_t peer, int32_t tag, uint32_t comm) {
  spool::Record* place = spool.next;
  if (__builtin_expect(place >= __atomic_load_n(&spool.ready, __ATOMIC_RELAXED), 0)) {
    place = spool.place_ahead();
    if (place == nullptr) return;
  }
  place->bytes = bytes;
  place->operation = call;
  place->peer = peer;
  place->tag = tag;
  place->comm = comm;
  place->kind = static_cast<uint8_t>(kind);
  __atomic_store_n(&place->enter_ticks, enter_ticks, __ATOMIC_RELEASE);
}

// A record of a call inside of one that said what it waits for: that goes on saying so behind it.
WW_ALWAYS_INLINE inline void put_within(Spool& spool, const spool::Record& record) {
  const spool::Record* place = spool.next;
  if (__builtin_expect(place >= __atomic_load_n(&spool.ready, __ATOMIC_RELAXED), 0))
    place = spool.place_ahead();
  const bool noted = place != nullptr && place->enter_ticks != 0 && place->leave_ticks == 0;
  if (!noted) {
    put(spool, record);
    return;
  }
  const spool::Record note = *place;
  put(spool, record);
  note_call(spool, static_cast<uint16_t>(note.operation), note.enter_ticks,
            static_cast<spool::Kind>(note.kind), note.bytes, note.peer, note.tag, note.comm);
}

}  // namespace ww::interpose

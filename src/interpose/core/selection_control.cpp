#include "interpose/core/selection_control.hpp"

#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/left_out.hpp"
#include "interpose/core/thread.hpp"

namespace ww::interpose {

bool durable = false;

namespace {

using spool::Kind;
using spool::Record;

constexpr int most_calls = 2048;
bool not_named[most_calls];  // by number of the call
bool always[most_calls];     // the calls that frame the run
uint64_t start_ticks = 0, record_limit = ~0ull;
bool paused = false;
int lock = 0;

bool in_list(const char* list, const char* word) {
  const size_t length = strlen(word);
  for (const char* at = list; *at != 0;) {
    const char* end = strchr(at, ',');
    if (end == nullptr) end = at + strlen(at);
    if (static_cast<size_t>(end - at) == length && memcmp(at, word, length) == 0) return true;
    at = *end == 0 ? end : end + 1;
  }
  return false;
}

// The count of the reason for which a record of this call is left out; nullptr: it is wanted.
uint64_t* reason_to_leave_out(Spool& spool, const Record& record) {
  static uint64_t nowhere;
  if (record.call < most_calls && always[record.call]) return nullptr;
  spool::SpoolHeader* header = spool.header();
  const auto count = [&](uint64_t spool::SpoolHeader::*which) {
    return header == nullptr ? &nowhere : &(header->*which);
  };
  if (record.enter_ticks < start_ticks) return count(&spool::SpoolHeader::calls_before_start);
  if (__atomic_load_n(&paused, __ATOMIC_RELAXED)) return count(&spool::SpoolHeader::calls_paused);
  if (record.call < most_calls && not_named[record.call]) return count(&spool::SpoolHeader::calls_not_named);
  if (spool.records() >= record_limit) return count(&spool::SpoolHeader::calls_over_limit);
  return nullptr;
}

void write(Spool& spool, const Record& record) {
  Record* place = spool.place();
  if (place == nullptr) return;
  store(place, record);
  spool.next = place + 1;
}

Record call_alone(Record record) {
  record.kind = static_cast<uint8_t>(Kind::call);
  record.bytes = record.operation = 0;
  record.peer = spool::no_peer;
  record.tag = 0;
  record.comm = 0;
  return record;
}

// `recording`: from here on calls like this one are recorded.
void keep(Spool& spool, const Record& record, bool recording) {
  // Of other threads' channels nothing is told: this call may have begun long ago, before messages of theirs
  // that are in the trace already. What names no channel (a receive from anyone, the calls that frame the
  // run) takes all.
  const bool anyone = record.kind == static_cast<uint8_t>(Kind::irecv) && is_wildcard(record);
  const bool frame = record.call < most_calls && always[record.call];
  const bool own = concurrent && !anyone && !frame && !(recording && may_join());
  Record before;
  while (own ? left_out_before(record, before) : next_left_out(before, recording)) {
    before.enter_ticks = record.enter_ticks;
    before.leave_ticks = record.leave_ticks;
    before.call = record.call;
    before.flags |= spool::flag_continued;
    write(spool, before);
  }
  write(spool, record);
}

// A completed range is split where operations that were left out lie in it.
void put_range(Spool& spool, const Record& range, bool wanted) {
  Record part = range;
  part.bytes = 0;
  for (uint64_t i = 0; i < range.bytes; ++i) {
    Record begun;
    if (!forget_left_out(range.operation + i, begun)) {
      if (part.bytes++ == 0) part.operation = range.operation + i;
      continue;
    }
    if (part.bytes > 0) {
      Record continued = part;
      continued.flags |= spool::flag_continued;
      keep(spool, continued, wanted);
    }
    part.bytes = 0;
  }
  if (part.bytes > 0)
    keep(spool, part, wanted);
  else if (wanted)
    keep(spool, call_alone(range), true);
}

void put_or_count(Spool& spool, const Record& record) {
  const bool of_collective = record.kind == static_cast<uint8_t>(Kind::sent_to);
  uint64_t* const reason = of_collective ? spool.collective_left_out : reason_to_leave_out(spool, record);
  const bool wanted = reason == nullptr;
  // calls, not records, are counted, each at its last record
  if (!wanted && (record.flags & spool::flag_continued) == 0) ++*reason;
  const auto kind = static_cast<Kind>(record.kind);
  if (kind == Kind::collective || kind == Kind::icollective) spool.collective_left_out = reason;
  switch (kind) {
    case Kind::send:
    case Kind::recv:
    case Kind::collective:
      if (!wanted) count_left_out(record, 1);
      break;
    case Kind::isend:
    case Kind::irecv:
    case Kind::icollective:
      if (!wanted) begin_left_out(record, record.call < most_calls && !not_named[record.call]);
      break;
    case Kind::window:
    case Kind::file:
    case Kind::file_read:
    case Kind::file_write:
      if (!wanted) count_left_out(record, 1);
      break;
    case Kind::put:
    case Kind::get:
    case Kind::atomic:
    case Kind::file_iread:
    case Kind::file_iwrite:
      if (!wanted && record.operation != 0) begin_left_out(record, false);
      break;
    case Kind::isend_done:
    case Kind::irecv_done:
    case Kind::icollective_done:
    case Kind::one_sided_done:
    case Kind::file_done:
    case Kind::cancelled:
    case Kind::test_failed: {
      Record begun;
      const bool left_out = kind == Kind::test_failed ? is_left_out(record.operation)
                                                      : forget_left_out(record.operation, begun);
      if (left_out && kind == Kind::irecv_done && begun.peer != spool::no_peer && is_wildcard(begun))
        count_left_out(record, 1);
      if (left_out && kind == Kind::cancelled && begun.peer != spool::no_peer && !is_wildcard(begun))
        count_left_out(begun, -1);
      if (left_out) {
        if (wanted) keep(spool, call_alone(record), true);
        return;
      }
      // what was begun in the trace also ends in it, wherever it ends, so that its message is whole
      if (wanted || kind != Kind::test_failed) keep(spool, record, wanted);
      return;
    }
    case Kind::done_range:
      put_range(spool, record, wanted);
      return;
    case Kind::sent_to:
      if (wanted) write(spool, record);
      return;
    default:
      break;
  }
  if (wanted) keep(spool, record, record.call >= most_calls || !always[record.call]);
}

// What the program says of itself is nobody's message: no account of it is kept, so nothing shared is
// touched. Regions are recorded whatever is left out within them, up to the limit, beyond which only those
// end that have begun.
void put_said(Spool& spool, const Record& record) {
  const auto kind = static_cast<Kind>(record.kind);
  const bool region = kind == Kind::region_begin || kind == Kind::region_end;
  const bool over_limit = spool.records() >= record_limit;
  bool wanted =
      !over_limit &&
      (region || (record.enter_ticks >= start_ticks && !__atomic_load_n(&paused, __ATOMIC_RELAXED)));
  if (kind == Kind::region_begin && !wanted) ++spool.regions_left_out;
  if (kind == Kind::region_end) {
    wanted = spool.regions_left_out == 0;
    if (!wanted) --spool.regions_left_out;
  }
  if (wanted)
    write(spool, record);
  else if (spool.header() != nullptr && kind != Kind::region_end)
    ++spool.header()->markers_left_out;
}

}  // namespace

void select(const RecordSelection& selection, const CallList& calls, uint64_t now, double ticks_per_s) {
  for (int i = 1; i < calls.count && i < most_calls; ++i) {
    always[i] = strcmp(calls.class_of[i], "frame") == 0;
    not_named[i] = selection.calls != nullptr && !in_list(selection.calls, calls.names[i]) &&
                   !in_list(selection.calls, calls.class_of[i]);
  }
  if (selection.start_s > 0) start_ticks = now + static_cast<uint64_t>(selection.start_s * ticks_per_s);
  if (selection.max_records > 0) record_limit = selection.max_records;
  durable = selection.on_disk;
  careful = selection.calls != nullptr || selection.start_s > 0 || selection.max_records > 0 || durable ||
            __atomic_load_n(&paused, __ATOMIC_RELAXED);
}

void pause_recording() {
  __atomic_store_n(&paused, true, __ATOMIC_RELAXED);
  __atomic_store_n(&careful, true, __ATOMIC_SEQ_CST);
  be_careful_everywhere();
}

void resume_recording() {
  __atomic_store_n(&paused, false, __ATOMIC_RELAXED);
}

void put_always(Spool& spool, const Record& record) {
  write(spool, record);
  if (durable) spool.sync();
}

void put_carefully(Spool& spool, const Record& record) {
  spool.forget_note();
  if (record.call == spool::no_call) {
    put_said(spool, record);
  } else {
    Locked locked(lock);
    put_or_count(spool, record);
  }
  if (durable && (record.flags & spool::flag_continued) == 0) spool.sync();
}

}  // namespace ww::interpose

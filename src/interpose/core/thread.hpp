// What the recorder keeps of each thread, and the frame around one recorded call.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/spool_format.hpp"
#include "interpose/core/spool_writer.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

// What one open operation is, as far as its completion must know it.
struct OpenOperation {
  uint64_t serial;
  uint64_t bytes;  // capacity of a receive, size of a send
  int32_t peer;
  int32_t tag;
  uint32_t comm;
  uint8_t kind;   // spool::Kind::isend, irecv, icollective; Kind::call: not followed
  uint8_t flags;  // spool flags; flag_cancel_asked of requests.hpp
};

// Memory of a thread for calls on many requests; grows outside the recorded path's usual sizes only, for
// which it is given to the thread and touched when that begins.
struct Scratch {
  void* at = nullptr;
  size_t bytes = 0;
  void* need(size_t wanted) {  // nullptr: no memory
    return __builtin_expect(wanted <= bytes, 1) ? at : grow(wanted);
  }

 private:
  void* grow(size_t wanted);
  bool grown_ = false;
};

struct Thread {
  Spool spool;
  uint64_t last_leave = 0;   // when the thread last came back from a call: from there on it computes
  uint64_t last_cpu_ns = 0;  // what it had had of a core then, if that is asked for (stretch.hpp)
  // The outermost call that this thread is inside of: where its part of the stack begins, just above the
  // address that it returns to. nullptr: none.
  void* const* inside = nullptr;
  void* way_back = nullptr;
  Scratch handles, operations, statuses;
  // While dilating, of messages: when this thread handed one to the library last, when that departs, and of
  // requests that one call starts, when each began (departures.hpp).
  uint64_t handed_over = 0, departs = 0;
  // And when its latest call that waits was over: with what held it back, and in the library (replies.hpp).
  uint64_t looked = 0, really_looked = 0;
  // Of such calls the latest that has waited, or received something from another rank: it read what had come.
  uint64_t read = 0;
  Scratch starting;
  uint32_t begun = 0, started = 0;
  uint32_t free_nodes = 0, free_node_count = 0;  // of requests.cpp: this thread's own, chained
  uint32_t slot = 0;
  uint32_t next_free = 0;  // slot + 1 of the next that nobody has
  bool taken = true;       // its thread has not ended
};

extern constinit thread_local Thread* this_thread __attribute__((tls_model("initial-exec")));
extern bool active;      // between Init and Finalize, with something to do
extern bool recording;   // a spool is written
extern bool dilating;    // computation is stretched
extern bool concurrent;  // MPI_THREAD_MULTIPLE: what threads share is locked, in parts that they seldom share

// Gives this thread its Thread, while active; nullptr otherwise. When the thread ends, another one takes over
// its Thread with all it has, so that there are no more than called MPI at one time.
Thread* attach_thread();
// Before the first one: threads that end are noticed from then on.
void watch_threads();
// So that no call waits for the first page of what it needs. Before other threads use it.
void touch_pages(void* at, size_t bytes);
void touch_own_code();
uint64_t records_of_all_threads();
uint64_t dropped_without_file();
int thread_count();  // that called MPI at one time, at most
void close_all_spools();
void be_careful_everywhere();  // takes every thread off the quick path of put, from its next record on

// While dilating (stretch.hpp). The thread computes from now on.
void computes_from(Thread& thread, uint64_t now);
// Stretches what it computed since; gives the time after it. `at_call`: it is about to call MPI.
uint64_t stretch(Thread& thread, uint64_t now, bool at_call);
// Threads call MPI at once, and each has a computation of its own (own_computation.hpp). From the first call of
// a second thread on, with MPI_THREAD_MULTIPLE and in real time.
extern bool each_on_its_own;
extern bool virtual_time;  // then instead (virtual_clock.hpp); dilating, too
uint64_t leave_virtually(Thread& thread);
uint64_t virtual_ticks();  // now, as records have it: later than what it gave before

// Whether a call made now, at this place of the stack, is one of those that the MPI library or a callback
// makes inside of another. An error handler may have left that other call without a return, by an exception
// or a jump: then the stack is not what it was.
bool still_inside(const Thread& thread, void* const* now);

// A lock for tables shared by threads; nothing but a branch unless the program asked for MPI_THREAD_MULTIPLE.
class Locked {
 public:
  explicit Locked(int& lock) : lock_(lock) {
    if (__builtin_expect(concurrent, 0))
      while (__atomic_exchange_n(&lock_, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  ~Locked() {
    if (__builtin_expect(concurrent, 0)) __atomic_store_n(&lock_, 0, __ATOMIC_RELEASE);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int& lock_;
};

// Of a call inside of another one: the one around it.
template <bool nested>
struct FrameAround {
  void* const* inside = nullptr;  // nullptr: none
  void* way_back = nullptr;
};
template <>
struct FrameAround<false> {};

// From the entry of a wrapper to its return. Calls that the library makes of itself are inside of another. They
// leave no record, or where the library's description says so (Library::nested_calls) one that comes before that
// of the call around it (spool::flag_nested). What is stretched and taken as computing lies outside of all calls.
template <bool records_nested>
class BasicFrame {
 public:
  WW_ALWAYS_INLINE explicit BasicFrame(uint16_t call) : thread_(this_thread), call_(call) {
    if (__builtin_expect(thread_ == nullptr, 0)) {
      thread_ = attach_thread();
      if (thread_ == nullptr) return;
    }
    const auto now = static_cast<void* const*>(__builtin_dwarf_cfa());
    if (__builtin_expect(thread_->inside != nullptr, 0) && still_inside(*thread_, now)) {
      if constexpr (records_nested) around_ = {thread_->inside, thread_->way_back};
      if constexpr (!records_nested) return;
    }
    thread_->inside = now;
    thread_->way_back = now[-1];
    on_ = true;
    enter_ = ticks();
    if (__builtin_expect(dilating, 0))
      enter_ = is_nested() ? nested_now(enter_) : stretch(*thread_, enter_, true);
  }
  ~BasicFrame() {
    if (!on_) return;
    if constexpr (records_nested) {
      thread_->inside = around_.inside;
      thread_->way_back = around_.way_back;
    } else {
      thread_->inside = nullptr;
    }
  }
  BasicFrame(const BasicFrame&) = delete;
  BasicFrame& operator=(const BasicFrame&) = delete;

  bool on() const { return on_; }
  WW_ALWAYS_INLINE bool is_nested() const {
    if constexpr (records_nested) return around_.inside != nullptr;
    return false;
  }
  Thread& thread() const { return *thread_; }
  uint64_t enter_ticks() const { return enter_; }

  // Before the call: what it may wait for. Of calls inside of others nothing is said.
  WW_ALWAYS_INLINE void waits_for(spool::Kind kind, uint64_t bytes, int32_t peer, int32_t tag,
                                  uint32_t comm) {
    if (on_ && !is_nested()) note_call(thread_->spool, call_, enter_, kind, bytes, peer, tag, comm);
  }
  void waits() { waits_for(spool::Kind::call, 0, spool::no_peer, 0, 0); }

  // The call has returned: takes the time. True when records are to be put (into nothing, if only dilating).
  WW_ALWAYS_INLINE bool leave() {
    if (!on_) return false;
    leave_ = ticks();
    if (is_nested()) {
      if (__builtin_expect(dilating, 0)) leave_ = nested_now(leave_);
      return true;
    }
    if (__builtin_expect(dilating, 0) && virtual_time) leave_ = leave_virtually(*thread_);
    thread_->last_leave = leave_;
    if (__builtin_expect(dilating, 0)) computes_from(*thread_, leave_);
    return true;
  }

  WW_ALWAYS_INLINE void put(spool::Kind kind, uint64_t bytes, uint64_t operation, int32_t peer, int32_t tag,
                            uint32_t comm, uint8_t flags) {
    const spool::Record one = record(kind, bytes, operation, peer, tag, comm, flags);
    is_nested() ? put_within(thread_->spool, one) : interpose::put(thread_->spool, one);
  }
  WW_ALWAYS_INLINE spool::Record record(spool::Kind kind, uint64_t bytes, uint64_t operation, int32_t peer,
                                        int32_t tag, uint32_t comm, uint8_t flags) const {
    if (is_nested()) flags |= spool::flag_nested;
    return {enter_, leave_, bytes, operation, peer, tag, comm, static_cast<uint8_t>(kind), flags, call_};
  }
  void put_call() { put(spool::Kind::call, 0, 0, spool::no_peer, 0, 0, 0); }

 private:
  static uint64_t nested_now(uint64_t real) { return virtual_time ? virtual_ticks() : real; }

  Thread* thread_;
  uint64_t enter_ = 0, leave_ = 0;
  uint16_t call_;
  bool on_ = false;
  [[no_unique_address]] FrameAround<records_nested> around_;
};

// The records of a call that may have any number of them: each but the last is marked as continued, none
// means one that only says that the call was made.
template <bool records_nested>
class BasicRecords {
 public:
  explicit BasicRecords(BasicFrame<records_nested>& frame)
      : frame_(frame), latest_(frame.record(spool::Kind::call, 0, 0, spool::no_peer, 0, 0, 0)) {}
  ~BasicRecords() { put_latest(); }
  BasicRecords(const BasicRecords&) = delete;
  BasicRecords& operator=(const BasicRecords&) = delete;

  void add(spool::Kind kind, uint64_t bytes, uint64_t operation, int32_t peer, int32_t tag, uint32_t comm,
           uint8_t flags) {
    if (any_) {
      latest_.flags |= spool::flag_continued;
      put_latest();
    }
    any_ = true;
    latest_ = frame_.record(kind, bytes, operation, peer, tag, comm, flags);
  }

 private:
  WW_ALWAYS_INLINE void put_latest() {
    Spool& spool = frame_.thread().spool;
    frame_.is_nested() ? put_within(spool, latest_) : put(spool, latest_);
  }

  BasicFrame<records_nested>& frame_;
  spool::Record latest_;
  bool any_ = false;
};

}  // namespace ww::interpose

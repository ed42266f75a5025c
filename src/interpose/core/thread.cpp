#include "interpose/core/thread.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <new>

#include "interpose/core/definitions.hpp"
#include "interpose/core/recorder.hpp"

// Of the linker: where this library begins in memory, and where its code ends.
extern "C" {
extern __attribute__((visibility("hidden"))) const char __ehdr_start;
extern __attribute__((visibility("hidden"))) const char etext;
}

namespace ww::interpose {

constinit thread_local Thread* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;
bool active = false;
bool recording = false;
bool dilating = false;
bool concurrent = false;
bool each_on_its_own = false;

namespace {

// At one time. Each has a file and two mappings.
constexpr uint32_t most_threads = 4096;
Thread* threads[most_threads];
uint32_t slots = 0;  // that were given out
uint64_t attached = 0;
// The slot + 1 that was given back last, below a count that makes each such word another one (a slot that
// was taken and given back meanwhile is not mistaken for one that was always there).
uint64_t free_slots = 0;
pthread_key_t key;
bool watching = false;

constexpr size_t page_bytes = 4096;
constexpr size_t handles_bytes = page_bytes, operations_bytes = 2 * page_bytes, statuses_bytes = page_bytes;
constexpr size_t thread_bytes = (sizeof(Thread) + 63) / 64 * 64;
constexpr size_t all_bytes =
    (thread_bytes + handles_bytes + operations_bytes + statuses_bytes + page_bytes - 1) / page_bytes *
    page_bytes;

Thread* thread_at(uint32_t slot) {
  return __atomic_load_n(&threads[slot], __ATOMIC_ACQUIRE);
}

// All Threads that there are so far.
void each_thread(auto&& act) {
  const uint32_t given = __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
  for (uint32_t slot = 0; slot < given && slot < most_threads; ++slot)
    if (Thread* thread = thread_at(slot)) act(*thread);
}

Thread* take_free_slot() {
  uint64_t head = __atomic_load_n(&free_slots, __ATOMIC_ACQUIRE);
  while (static_cast<uint32_t>(head) != 0) {
    Thread* thread = thread_at(static_cast<uint32_t>(head) - 1);
    const uint64_t rest = ((head >> 32) + 1) << 32 | __atomic_load_n(&thread->next_free, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(&free_slots, &head, rest, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return thread;
  }
  return nullptr;
}

void give_slot_back(Thread& thread) {
  uint64_t head = __atomic_load_n(&free_slots, __ATOMIC_RELAXED), mine = 0;
  do {
    __atomic_store_n(&thread.next_free, static_cast<uint32_t>(head), __ATOMIC_RELAXED);
    mine = ((head >> 32) + 1) << 32 | (thread.slot + 1);
  } while (!__atomic_compare_exchange_n(&free_slots, &head, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

// Called when the thread that it belongs to ends, and once more should it call MPI after that. In a child that
// was forked it means nothing.
void thread_ended(void* ended) {
  Thread* const thread = this_thread;
  if (thread == nullptr || thread != ended) return;
  this_thread = nullptr;
  thread->inside = nullptr;
  // The first thread's records are the rank's main ones: no other goes on in its file.
  if (thread->slot == 0) return;
  __atomic_store_n(&thread->taken, false, __ATOMIC_RELEASE);
  give_slot_back(*thread);
}

Thread* new_thread() {
  if (__atomic_load_n(&slots, __ATOMIC_RELAXED) >= most_threads) return nullptr;
  const uint32_t slot = __atomic_fetch_add(&slots, 1, __ATOMIC_RELAXED);
  if (slot >= most_threads) {
    __atomic_fetch_sub(&slots, 1, __ATOMIC_RELAXED);
    return nullptr;
  }
  // Touched here, so that no call has to wait for its first page.
  void* memory =
      mmap(nullptr, all_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* at = static_cast<char*>(memory) + thread_bytes;
  Thread* thread = new (memory) Thread;
  const auto give = [&at](Scratch& scratch, size_t bytes) {
    scratch.at = at;
    scratch.bytes = bytes;
    at += bytes;
  };
  give(thread->handles, handles_bytes);
  give(thread->operations, operations_bytes);
  give(thread->statuses, statuses_bytes);
  thread->slot = slot;
  if (recording && !thread->spool.open(spool_dir(), process_name(), static_cast<int>(slot)))
    trouble(Trouble::spool_not_created);
  __atomic_store_n(&threads[slot], thread, __ATOMIC_RELEASE);
  return thread;
}

}  // namespace

void* Scratch::grow(size_t wanted) {
  const size_t size = (wanted + 65535) / 65536 * 65536;
  void* fresh = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return nullptr;
  if (grown_) munmap(at, bytes);
  at = fresh;
  bytes = size;
  grown_ = true;
  return at;
}

void touch_pages(void* at, size_t bytes) {
  auto* const first = static_cast<volatile char*>(at);
  for (size_t i = 0; i < bytes; i += page_bytes) first[i] = first[i];
  if (bytes > 0) first[bytes - 1] = first[bytes - 1];
}

void touch_own_code() {
#ifdef MADV_POPULATE_READ
  const auto begin = reinterpret_cast<uintptr_t>(&__ehdr_start) / page_bytes * page_bytes;
  const auto end = (reinterpret_cast<uintptr_t>(&etext) + page_bytes - 1) / page_bytes * page_bytes;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ);
#endif
}

void watch_threads() {
  watching = watching || pthread_key_create(&key, thread_ended) == 0;
}

Thread* attach_thread() {
  if (!active) return nullptr;
  Thread* thread = take_free_slot();
  const uint64_t number = __atomic_add_fetch(&attached, 1, __ATOMIC_RELAXED);
  if (thread != nullptr) {
    // The recording may end at this instant: then its spool is closed as one that somebody uses, or not used.
    __atomic_store_n(&thread->taken, true, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&active, __ATOMIC_SEQ_CST)) return nullptr;
    thread->spool.pass_on(number, thread->last_leave);
    thread->last_cpu_ns = 0;
  } else {
    thread = new_thread();
  }
  if (thread == nullptr) {
    trouble(Trouble::too_many_threads);
    return nullptr;
  }
  if (number > 1 && concurrent && dilating && !virtual_time)
    __atomic_store_n(&each_on_its_own, true, __ATOMIC_RELAXED);
  thread->last_leave = ticks();
  this_thread = thread;
  if (watching) pthread_setspecific(key, thread);
  return thread;
}

bool still_inside(const Thread& thread, void* const* now) {
  if (now < thread.inside && thread.inside[-1] == thread.way_back) return true;
  trouble(Trouble::call_left);
  return false;
}

uint64_t records_of_all_threads() {
  uint64_t sum = 0;
  each_thread([&](const Thread& thread) { sum += thread.spool.records(); });
  return sum;
}

uint64_t dropped_without_file() {
  uint64_t sum = 0;
  each_thread([&](Thread& thread) {
    if (thread.spool.header() == nullptr) sum += thread.spool.dropped();
  });
  return sum;
}

int thread_count() {
  return static_cast<int>(__atomic_load_n(&slots, __ATOMIC_RELAXED));
}

void be_careful_everywhere() {
  each_thread([](Thread& thread) {
    __atomic_store_n(&thread.spool.ready, static_cast<spool::Record*>(nullptr), __ATOMIC_SEQ_CST);
  });
}

void close_all_spools() {
  each_thread([](Thread& thread) {
    const bool others = &thread != this_thread && __atomic_load_n(&thread.taken, __ATOMIC_SEQ_CST);
    others ? thread.spool.close_in_use() : thread.spool.close();
  });
}

}  // namespace ww::interpose

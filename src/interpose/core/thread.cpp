#include "interpose/core/thread.hpp"

#include <sys/mman.h>

#include <new>

#include "interpose/core/definitions.hpp"
#include "interpose/core/recorder.hpp"

namespace ww::interpose {

constinit thread_local Thread* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;
bool active = false;
bool recording = false;
bool dilating = false;
bool concurrent = false;

namespace {

constexpr int most_threads = 512;
Thread* threads[most_threads];
int next_thread = 0;

}  // namespace

void* Scratch::grow(size_t wanted) {
  const size_t size = (wanted + 65535) / 65536 * 65536;
  void* fresh = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return nullptr;
  if (at != nullptr) munmap(at, bytes);
  at = fresh;
  bytes = size;
  return at;
}

Thread* attach_thread() {
  if (!active) return nullptr;
  const int index = __atomic_fetch_add(&next_thread, 1, __ATOMIC_RELAXED);
  if (index >= most_threads) {
    trouble(Trouble::too_many_threads);
    return nullptr;
  }
  void* memory = mmap(nullptr, sizeof(Thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  Thread* thread = new (memory) Thread;
  if (recording && !thread->spool.open(spool_dir(), world_rank(), index)) trouble(Trouble::spool_not_created);
  thread->last_leave = ticks();
  threads[index] = thread;
  this_thread = thread;
  return thread;
}

bool still_inside(const Thread& thread, void* const* now) {
  if (now < thread.inside && thread.inside[-1] == thread.way_back) return true;
  trouble(Trouble::call_left);
  return false;
}

uint64_t records_of_all_threads() {
  uint64_t sum = 0;
  for (const Thread* thread : threads)
    if (thread != nullptr) sum += thread->spool.records();
  return sum;
}

int thread_count() {
  return __atomic_load_n(&next_thread, __ATOMIC_RELAXED);
}

void be_careful_everywhere() {
  for (Thread* thread : threads)
    if (thread != nullptr)
      __atomic_store_n(&thread->spool.ready, static_cast<spool::Record*>(nullptr), __ATOMIC_SEQ_CST);
}

void close_all_spools() {
  for (Thread* thread : threads)
    if (thread != nullptr) thread->spool.close();
}

}  // namespace ww::interpose

#include "interpose/pvm/task_departures.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/core/next_function.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/stamps.hpp"
#include "interpose/pvm/task.hpp"

namespace ww::interpose {

namespace {

constexpr int most_tasks = 64;  // that share it; others' messages have no stamps

// The first page of what is shared. Zeros at first.
struct Places {
  uint64_t kernel;              // a hash of its boot id: counters of another kernel are another clock
  uint32_t tid_at[most_tasks];  // 0: nobody's yet
};
constexpr size_t page_bytes = 4096;
static_assert(sizeof(Places) <= page_bytes);

Places* places = nullptr;
size_t shared_bytes = 0;
int own_tid = 0;

// Whoever needs a task's place first gives it one: messages are sent to tasks that are not enrolled yet. -1: there are more tasks.
int place_in(Places& shared, int tid) {
  const auto wanted = static_cast<uint32_t>(tid);
  for (int at = 0; at < most_tasks; ++at) {
    uint32_t found = 0;
    if (__atomic_compare_exchange_n(&shared.tid_at[at], &found, wanted, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) ||
        found == wanted)
      return at;
  }
  return -1;
}

int place_of(int tid) {
  return places != nullptr ? place_in(*places, tid) : -1;
}

// The part of a tid that is its host's (Geist and others, PVM: A Users' Guide, 7.1).
bool on_other_host(int tid) {
  constexpr uint32_t host = 0x3ffc0000;
  return (static_cast<uint32_t>(tid) & host) != (static_cast<uint32_t>(own_tid) & host);
}

void* map_file(const char* directory, size_t bytes) {
  char path[PATH_MAX];
  const int n = snprintf(path, sizeof path, "%s/stamps-tasks", directory);
  if (n < 0 || static_cast<size_t>(n) >= sizeof path) return nullptr;
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return nullptr;
  void* at = ftruncate(fd, static_cast<off_t>(bytes)) == 0
                 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0)
                 : MAP_FAILED;
  close(fd);
  return at == MAP_FAILED ? nullptr : at;
}

uint64_t this_kernel() {
  char boot_id[64] = {};
  read_boot_id(boot_id, sizeof boot_id);
  const uint64_t hash = fnv1a(boot_id);
  return hash != 0 ? hash : 1;
}

// The kernel that was first has the memory.
bool take_place(void* memory, int tid) {
  auto* const shared = static_cast<Places*>(memory);
  uint64_t nobody = 0;
  const uint64_t kernel = this_kernel();
  if (!__atomic_compare_exchange_n(&shared->kernel, &nobody, kernel, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE) &&
      nobody != kernel)
    return false;
  const int at = place_in(*shared, tid);
  if (at >= 0) start_stamps(static_cast<char*>(memory) + page_bytes, most_tasks, at, 1);
  return at >= 0;
}

}  // namespace

void share_departures(const char* spool_dir, int tid) {
  own_tid = tid;
  shared_bytes = page_bytes + stamp_memory(most_tasks, 1);
  void* const memory = spool_dir != nullptr ? map_file(spool_dir, shared_bytes) : nullptr;
  if (memory != nullptr && take_place(memory, tid)) {
    places = static_cast<Places*>(memory);
    return;
  }
  if (memory != nullptr) munmap(memory, shared_bytes);
  trouble(Trouble::stamps_not_shared);
}

void stop_sharing_departures() {
  stop_stamps();
  if (places != nullptr) munmap(places, shared_bytes);
  places = nullptr;
}

void measure_ready_receives(int tid, double ticks_per_s) {
  static Next<int(int)> mkbuf{"pvm_mkbuf"}, setsbuf{"pvm_setsbuf"}, setrbuf{"pvm_setrbuf"},
      freebuf{"pvm_freebuf"};
  static Next<int(char*, int, int)> pkbyte{"pvm_pkbyte"};
  static Next<int(int, int)> send{"pvm_send"}, recv{"pvm_recv"};
  constexpr int raw = 1, tag = 0x77772211;  // PvmDataRaw
  constexpr size_t largest = 1u << 20;
  auto* const memory = static_cast<char*>(calloc(1, largest));
  if (memory == nullptr) return;
  const Asking ask;
  measure_ready_costs(largest, ticks_per_s, [&](size_t bytes) {
    const int buffer = mkbuf.get()(raw), before = setsbuf.get()(buffer), read_before = setrbuf.get()(0);
    pkbyte.get()(memory, static_cast<int>(bytes), 1);
    send.get()(tid, tag);
    const uint64_t entered = ticks();
    const int got = recv.get()(tid, tag);
    const uint64_t took = got > 0 ? ticks() - entered : ~0ull;
    setrbuf.get()(read_before);
    setsbuf.get()(before);
    freebuf.get()(buffer);
    if (got > 0) freebuf.get()(got);
    return took;
  });
  free(memory);
}

void departing(int tid, int tag, uint64_t bytes) {
  if (tid == own_tid) return;
  uint64_t when = ticks();
  if (injecting) when = delay_departure(*this_thread, on_other_host(tid), bytes, when);
  if (const int place = stamping ? place_of(tid) : -1; place >= 0)
    put_stamp(place, {.comm = 0, .bytes = bytes, .when = when, .tag = tag});
}

void not_departed(int tid) {
  if (const int place = stamping && tid != own_tid ? place_of(tid) : -1; place >= 0) lose_stamps_to(place);
}

void arrived(uint64_t entered, bool waits, int from, int tag, uint64_t bytes) {
  if (from == own_tid) return;
  Injection injection(entered, waits);
  Stamp stamp{.comm = 0, .bytes = bytes, .when = 0, .tag = tag};
  const int place = stamping ? place_of(from) : -1;
  if (place < 0 || !take_stamp(place, stamp)) {
    trouble(Trouble::departure_unknown);
    stamp.when = 0;
  }
  if (injecting) injection.message({on_other_host(from), bytes, stamp.when, 0, peer_of(from)});
}

// A look for a message that nobody sends: libpvm3 reads what has come and writes what is open.
void make_progress() {
  static Next<int(int, int)> probe{"pvm_probe"};
  constexpr int no_tag = 0x77772212;
  const Asking ask;
  probe.get()(-1, no_tag);
}

}  // namespace ww::interpose

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
#include "interpose/core/recorder.hpp"
#include "interpose/core/stamps.hpp"
#include "interpose/pvm/message_contexts.hpp"
#include "interpose/pvm/static_program.hpp"
#include "interpose/pvm/task.hpp"
#include "interpose/pvm/tids.hpp"
#include "library/pvm.hpp"

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
int own_tid = 0, own_place = -1;

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
  return places != nullptr && !is_daemon(tid) ? place_in(*places, tid) : -1;
}

bool on_other_host(int tid) {
  return host_part(tid) != host_part(own_tid);
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

// Of groups: in which order it is asked is no matter of the program's.
bool is_server() {
  static const bool is_one = [] {
    char program[PATH_MAX] = {};
    read_program_name(program, sizeof program);
    const char* const name = strrchr(program, '/');
    return strcmp(name != nullptr ? name + 1 : program, library::pvm.servers) == 0;
  }();
  return is_one;
}

int parent_of_own() {
  static NextOfPvm<int()> parent{"pvm_parent"};
  const Asking ask;
  return parent.get()();
}

// The kernel that was first has the memory.
bool is_of_this_kernel(void* memory) {
  auto* const shared = static_cast<Places*>(memory);
  uint64_t nobody = 0;
  const uint64_t kernel = this_kernel();
  return __atomic_compare_exchange_n(&shared->kernel, &nobody, kernel, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE) ||
         nobody == kernel;
}

}  // namespace

void share_departures(const Sharing& how, int tid) {
  own_tid = tid;
  const size_t before_clocks = page_bytes + stamp_memory(most_tasks, 1);
  shared_bytes = before_clocks + (how.virtually ? virtual_tasks_memory(most_tasks) : 0);
  void* const memory = how.spool_dir != nullptr ? map_file(how.spool_dir, shared_bytes) : nullptr;
  const bool is_here = memory != nullptr && is_of_this_kernel(memory);
  own_place = is_here ? place_in(*static_cast<Places*>(memory), tid) : -1;
  if (own_place < 0) {
    if (memory != nullptr) munmap(memory, shared_bytes);
    trouble(Trouble::stamps_not_shared);
    if (how.virtually) trouble(is_here ? Trouble::virtual_too_many_tasks : Trouble::virtual_several_machines);
    return;
  }
  places = static_cast<Places*>(memory);
  start_stamps(static_cast<char*>(memory) + page_bytes, most_tasks, own_place, 1);
  if (!how.virtually) return;
  const int parent = parent_of_own();
  begin_virtual_tasks(static_cast<char*>(memory) + before_clocks, most_tasks, own_place, tid,
                      parent > 0 ? place_of(parent) : -1, how.plan, how.ticks_per_s);
}

void stop_sharing_departures() {
  stop_stamps();
  if (places != nullptr) munmap(places, shared_bytes);
  places = nullptr;
}

void measure_ready_receives(int tid, double ticks_per_s) {
  static NextOfPvm<int(int)> mkbuf{"pvm_mkbuf"}, setsbuf{"pvm_setsbuf"}, setrbuf{"pvm_setrbuf"},
      freebuf{"pvm_freebuf"};
  static NextOfPvm<int(char*, int, int)> pkbyte{"pvm_pkbyte"};
  static NextOfPvm<int(int, int)> send{"pvm_send"}, recv{"pvm_recv"};
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
  if (virtual_time) return departs_virtually(place_of(tid), tid, tag, bytes);
  uint64_t when = ticks();
  if (injecting) when = delay_departure(*this_thread, on_other_host(tid), bytes, when, peer_of(tid));
  if (const int place = stamping ? place_of(tid) : -1; place >= 0)
    put_stamp(place, {.comm = message_context(), .bytes = bytes, .when = when, .tag = tag});
}

void not_departed(int tid) {
  if (const int place = stamping && tid != own_tid ? place_of(tid) : -1; place >= 0) lose_stamps_to(place);
}

namespace {

void arrived_virtually(const InBuffer& got, int asked_from, int asked_tag) {
  Stamp stamp{.comm = message_context(), .bytes = got.bytes, .when = 0, .tag = got.tag};
  const int place = place_of(got.from);
  if (place < 0 || !take_stamp(place, stamp)) return arrives_unstamped(place, got.from, got.bytes);
  arrives_virtually(place, got.from, stamp);
  if (asked_from == -1 && !is_server()) took_any(asked_tag, place, stamp);
}

}  // namespace

void arrived(uint64_t entered, bool waits, const InBuffer& got, int asked_from, int asked_tag) {
  if (got.from == own_tid) return;
  if (virtual_time) return arrived_virtually(got, asked_from, asked_tag);
  Injection injection(entered, waits);
  Stamp stamp{.comm = message_context(), .bytes = got.bytes, .when = 0, .tag = got.tag};
  const int place = stamping ? place_of(got.from) : -1;
  if (place < 0 || !take_stamp(place, stamp)) {
    trouble(Trouble::departure_unknown);
    stamp.when = 0;
  }
  if (injecting) injection.message({on_other_host(got.from), got.bytes, stamp.when, 0, peer_of(got.from)});
}

void found(const InBuffer& there) {
  Stamp stamp{.comm = message_context(), .bytes = there.bytes, .when = 0, .tag = there.tag};
  const int place = there.from != own_tid ? place_of(there.from) : -1;
  if (place >= 0 && peek_stamp(place, stamp)) found_by_probe(place, there.from, stamp);
}

void spawns() {
  if (virtual_time) spawning();
}

void has_spawned(const int* tids, int count) {
  if (!virtual_time) return;
  for (int i = 0; i < count; ++i)
    if (tids[i] > 0) spawned(place_of(tids[i]));
  spawn_is_over();
}

int own_virtual_host() {
  return virtual_host_of(own_place, own_tid);
}

// A look for a message that nobody sends: libpvm3 reads what has come and writes what is open.
void make_progress() {
  static NextOfPvm<int(int, int)> probe{"pvm_probe"};
  constexpr int no_tag = 0x77772212;
  const Asking ask;
  probe.get()(-1, no_tag);
}

}  // namespace ww::interpose

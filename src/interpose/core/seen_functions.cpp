#include "interpose/core/seen_functions.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/function_pattern.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/function_names.hpp"
#include "interpose/core/markers.hpp"
#include "interpose/core/names.hpp"
#include "interpose/core/not_cancelled.hpp"
#include "interpose/core/patched_functions.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

namespace {

using spool::Kind;

// Calls of one function in one thread that are recorded a second; beyond, one in 2, 4, 8, ... of them.
constexpr double most_recorded_a_second = 1e5;
constexpr uint32_t window = 1024;  // calls between two looks at how many come a second
constexpr uint8_t most_thinned = 20;

constexpr uint32_t most_functions = 1u << 14;  // that are wanted
constexpr uint32_t slot_count = 1u << 17, most_slots = slot_count / 2;

struct Wanted {
  uint32_t region = 0;  // name_number
  char* name = nullptr;
};

// By address, all that were called, and those that were switched on: found without a lock, entered under one.
struct Slot {
  const void* address;
  uint32_t function;  // of `wanted`; not_wanted
};
Slot slots[slot_count];
uint32_t slots_used = 0;
Wanted wanted[most_functions];
uint32_t wanted_count = 0;
int lock = 0;

// What one thread did in one function; ticks.
struct Count {
  uint64_t calls, recorded, own, all, window_began;
  uint32_t in_window, open;
  uint8_t thinned;  // one call in 2 to the power of this is recorded
  bool ever_thinned;
};

struct Open {
  const void* address;
  const void* way_back;      // of a patched function: where on the stack it is; nullptr
  uint64_t entered, within;  // within: in functions that it called
  uint32_t function;
  bool recorded;
};

struct Calls {
  static constexpr uint32_t most_open = 4096;
  Calls* next;     // of all that there are
  bool taken;      // its thread has not ended
  uint32_t depth;  // may be more than there is room for
  Open open[most_open];
  Count counts[most_functions];  // pages that are not touched cost nothing
};

constinit thread_local Calls* own __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local bool busy __attribute__((tls_model("initial-exec"))) = false;
Calls* all_calls = nullptr;
pthread_key_t of_threads;

const char* list = nullptr;  // nullptr: nobody asked for functions, or it is over
bool listening = false, over = false;
bool count_only = false, begun = false, ever_called = false;
ClockPair first_pair;
uint64_t least_window_ticks = 0;  // 0: not known yet

// What the thread calls meanwhile is not looked at.
class Busy {
 public:
  Busy() { busy = true; }
  ~Busy() { busy = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
};

class LockedHere {
 public:
  LockedHere() {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  ~LockedHere() { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
  LockedHere(const LockedHere&) = delete;
  LockedHere& operator=(const LockedHere&) = delete;

 private:
  NotCancelled whole_;
};

void thread_ended(void* ended) {
  own = nullptr;
  auto* const calls = static_cast<Calls*>(ended);
  for (uint32_t i = 0; i < calls->depth && i < Calls::most_open; ++i)
    --calls->counts[calls->open[i].function].open;
  calls->depth = 0;
  __atomic_store_n(&calls->taken, false, __ATOMIC_RELEASE);
}

// It is not recorded, and what other threads were learning or allocating when it was forked nobody will finish. Before the recording
// a program may go on in a child.
void begin_child() {
  if (begun) {
    list = nullptr;
    over = true;
  }
  lock = 0;
}

// Where signal handlers return to; nullptr: not known. The compiler tells of each function where it will return to.
const void* find_restorer() {
#if defined(__x86_64__)
  struct Kernels {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } now = {};
  struct sigaction any = {}, before = {};
  any.sa_handler = [](int) {};
  if (sigaction(SIGURG, &any, &before) != 0) return nullptr;
  const long asked = syscall(SYS_rt_sigaction, SIGURG, nullptr, &now, sizeof now.mask);
  sigaction(SIGURG, &before, nullptr);
  return asked == 0 ? reinterpret_cast<const void*>(now.restorer) : nullptr;
#else
  return nullptr;
#endif
}

const void* restorer = nullptr;
constinit thread_local uint32_t handlers __attribute__((tls_model("initial-exec"))) = 0;  // it is in
constinit thread_local const char* handler_frame __attribute__((tls_model("initial-exec"))) =
    nullptr;  // of the outermost

__attribute__((noinline, cold)) bool is_within_handler(const void* from, const char* frame, bool begins) {
  constexpr ptrdiff_t some = 256;  // the same function's frame, by the begin and the end of it
  if (handlers > 0 && frame > handler_frame + some) handlers = 0;  // a jump has left it
  if (from != restorer) return handlers > 0;
  if (begins && handlers++ == 0) handler_frame = frame;
  if (!begins && handlers > 0) --handlers;
  return true;
}

// A handler can interrupt the thread anywhere, also where it allocates or records: it and what it calls are left out.
inline bool is_for_signals(const void* from, const char* frame, bool begins) {
  return __builtin_expect((restorer != nullptr && from == restorer) || handlers > 0, 0) &&
         is_within_handler(from, frame, begins);
}

int not_patched = 0;  // told when the recording begins: there is nowhere to write before

uint32_t function_called(const char* name);
bool know_function(const void* address, const char* name);

void switch_functions_on() {
  const Patching done =
      patch_functions([](const char* name) { return is_function_wanted(list, name); }, know_function);
  ever_called = done.there > 0;
  not_patched = done.impossible;
}

bool listen() {
  if (listening) return true;
  if (pthread_key_create(&of_threads, thread_ended) != 0) return false;
  choose_clock();
  first_pair = clock_pair();
  pthread_atfork(nullptr, nullptr, begin_child);
  return listening = true;
}

__attribute__((constructor)) void read_list() {
  const char* const text = getenv(environment::functions);
  if (text == nullptr || text[0] == 0 || !listen()) return;
  const char* const how = getenv(environment::functions_counted);
  count_only = how != nullptr && strcmp(how, "1") == 0;
  begin_naming();
  restorer = find_restorer();
  list = strdup(text);
  if (list != nullptr) switch_functions_on();
}

uint32_t slot_of(const void* address) {
  constexpr uint64_t multiplier = 0x9e3779b97f4a7c15ull;
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) * multiplier >> 32) % slot_count;
}

// Of a wanted one; not_wanted: there is no room for more.
uint32_t function_called(const char* name) {
  const uint32_t region = name_number(NameUse::region, name, strlen(name));
  for (uint32_t function = 0; function < wanted_count; ++function)
    if (wanted[function].region == region) return function;
  char* const kept = wanted_count < most_functions ? strdup(name) : nullptr;
  if (kept == nullptr) {
    trouble(Trouble::too_many_names);
    return not_wanted;
  }
  wanted[wanted_count] = {region, kept};
  return wanted_count++;
}

void fill_slot(Slot& slot, const void* address, uint32_t function) {
  if (++slots_used == most_slots)
    trouble(Trouble::too_many_names);  // of those that come after it nothing is known
  slot.function = function;
  __atomic_store_n(&slot.address, address, __ATOMIC_RELEASE);
}

// The first call of a function.
__attribute__((noinline, cold)) uint32_t learn(const void* address) {
  const Busy now_busy;
  const LockedHere locked;
  if (list == nullptr) return not_wanted;  // the recording ended meanwhile
  ever_called = true;
  uint32_t at = slot_of(address);
  for (; slots[at].address != nullptr; at = (at + 1) % slot_count)
    if (slots[at].address == address) return slots[at].function;
  if (slots_used == most_slots) return not_wanted;
  FunctionName name;
  name_function(address, name);
  const uint32_t function = is_function_wanted(list, name.text) ? function_called(name.text) : not_wanted;
  fill_slot(slots[at], address, function);
  return function;
}

// Before the first call.
bool know_function(const void* address, const char* name) {
  uint32_t at = slot_of(address);
  while (slots[at].address != nullptr) at = (at + 1) % slot_count;
  const uint32_t function = slots_used == most_slots ? not_wanted : function_called(name);
  if (function == not_wanted) return false;
  fill_slot(slots[at], address, function);
  return true;
}

inline uint32_t function_at(const void* address) {
  for (uint32_t at = slot_of(address);; at = (at + 1) % slot_count) {
    const void* const there = __atomic_load_n(&slots[at].address, __ATOMIC_ACQUIRE);
    if (__builtin_expect(there == address, 1)) return slots[at].function;
    if (there != nullptr) continue;
    return slots_used == most_slots ? not_wanted : learn(address);
  }
}

__attribute__((noinline, cold)) Calls* calls_of_thread() {
  const LockedHere locked;
  Calls* calls = all_calls;
  while (calls != nullptr && __atomic_load_n(&calls->taken, __ATOMIC_ACQUIRE)) calls = calls->next;
  if (calls == nullptr) {
    void* const at = mmap(nullptr, sizeof(Calls), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return nullptr;
    calls = static_cast<Calls*>(at);
    calls->next = all_calls;
    all_calls = calls;
  }
  calls->taken = true;
  own = calls;
  pthread_setspecific(of_threads, calls);
  return calls;
}

// The thread's, if it is at a place where regions are recorded.
Thread* thread_to_record() {
  return active && recording ? thread_outside_calls(false) : nullptr;
}

void thin(Count& count, uint64_t now) {
  const uint64_t took = now - count.window_began;
  count.window_began = now;
  count.in_window = 0;
  if (!begun || took == now) return;
  if (least_window_ticks == 0)
    least_window_ticks =
        static_cast<uint64_t>(rate(first_pair, clock_pair()) * window / most_recorded_a_second);
  // Half of what was left out comes back only where far fewer calls come than may.
  while (count.thinned < most_thinned && (took << count.thinned) < least_window_ticks) ++count.thinned;
  while (count.thinned > 0 && (took << count.thinned) > 4 * least_window_ticks) --count.thinned;
  if (count.thinned > 0 && !count_only) count.ever_thinned = true;
}

// Of the innermost, at this time.
void close_one(Calls& calls, uint64_t now) {
  const Open& open = calls.open[--calls.depth];
  Count& count = calls.counts[open.function];
  const uint64_t took = now > open.entered ? now - open.entered : 0;
  count.own += took > open.within ? took - open.within : 0;
  if (--count.open == 0) count.all += took;
  if (calls.depth > 0) calls.open[calls.depth - 1].within += took;
  if (!open.recorded) return;
  if (Thread* const thread = thread_to_record())
    put_region(*thread, Kind::region_end, wanted[open.function].region);
}

// Patched functions whose frames are gone, of which nothing said that they ended: an exception or a jump left them. `at`: where the
// innermost that goes on returns from, or one that begins.
void close_left(Calls& calls, const void* at, uint64_t now) {
  const auto is_gone = [&](const Open& open) { return open.way_back != nullptr && open.way_back < at; };
  if (calls.depth > Calls::most_open && is_gone(calls.open[Calls::most_open - 1]))
    calls.depth = Calls::most_open;
  while (calls.depth > 0 && calls.depth <= Calls::most_open && is_gone(calls.open[calls.depth - 1]))
    close_one(calls, now);
}

// `way_back` of a patched function, else nullptr. False: it is not counted, and its end is not to be told.
bool enter_wanted(uint32_t function, const void* address, const uintptr_t* way_back) {
  const Busy now_busy;
  Calls* const calls = own != nullptr ? own : calls_of_thread();
  if (calls == nullptr) return false;
  if (way_back != nullptr && calls->depth > 0) {
    // A function that has been called by a jump is within that which jumped; another one takes the place of what was there.
    const char* const place = reinterpret_cast<const char*>(way_back);
    const void* const gone = leads_back_here(way_back) ? place : place + 1;
    if (calls->open[(calls->depth < Calls::most_open ? calls->depth : Calls::most_open) - 1].way_back < gone)
      close_left(*calls, gone, ticks());
  }
  Count& count = calls->counts[function];
  ++count.calls;
  const uint32_t depth = calls->depth++;
  if (depth >= Calls::most_open) return true;  // its time is that of the one that there was room for
  Open& open = calls->open[depth];
  ++count.open;
  const bool one_of = (count.calls & ((uint64_t{1} << count.thinned) - 1)) == 0;
  open = {address, way_back, 0, 0, function, false};
  if (!count_only && one_of)
    if (Thread* const thread = thread_to_record()) {
      open.recorded = true;
      ++count.recorded;
      put_region(*thread, Kind::region_begin, wanted[function].region);
    }
  open.entered = ticks();
  if (++count.in_window == window) thin(count, open.entered);
  return true;
}

bool enter(const void* address, const uintptr_t* way_back) {
  if (busy) return false;
  const uint32_t function = function_at(address);
  return function != not_wanted && enter_wanted(function, address, way_back);
}

// The innermost that is_it, and those above it, which a jump left.
template <class IsIt>
void leave_wanted(IsIt is_it) {
  if (own->depth == 0) return;
  const Busy now_busy;
  if (own->depth > Calls::most_open) {
    --own->depth;
    return;
  }
  const uint64_t now = ticks();
  uint32_t at = own->depth;
  while (at > 0 && !is_it(own->open[at - 1])) --at;
  if (at == 0) return;
  while (own->depth >= at) close_one(*own, now);
}

void leave(const void* address) {
  if (busy || own == nullptr || function_at(address) == not_wanted) return;
  leave_wanted([&](const Open& open) { return open.address == address; });
}

// A patched function, and those that it became by jumps.
void leave_patched(const uintptr_t* way_back) {
  if (busy || own == nullptr || own->depth == 0) return;
  const Busy now_busy;
  const uint64_t now = ticks();
  close_left(*own, way_back, now);
  if (own->depth > Calls::most_open) {
    --own->depth;
    return;
  }
  while (own->depth > 0 && own->open[own->depth - 1].way_back == way_back) close_one(*own, now);
}

struct Sum {
  uint32_t function;
  Count count;
};

int by_own_time(const void* a, const void* b) {
  const auto& one = *static_cast<const Sum*>(a);
  const auto& other = *static_cast<const Sum*>(b);
  if (one.count.own != other.count.own) return one.count.own > other.count.own ? -1 : 1;
  return one.function < other.function ? -1 : 1;
}

// One of a list; without a name: all others together.
void write_count(DefinitionLine& line, const char* name, const Count& count, double ticks_per_s) {
  const auto ns = [&](uint64_t ticks) {
    return static_cast<int64_t>(static_cast<double>(ticks) / ticks_per_s * 1e9);
  };
  line.begin_object();
  if (name != nullptr) line.text("name", name);
  line.number("calls", static_cast<int64_t>(count.calls))
      .number("recorded", static_cast<int64_t>(count.recorded))
      .number("own_ns", ns(count.own))
      .number("all_ns", ns(count.all))
      .boolean("thinned", count.ever_thinned)
      .end_object();
}

void write_counts() {
  constexpr uint32_t most_told = 400;
  const double ticks_per_s = rate(first_pair, clock_pair());
  auto* const sums = static_cast<Sum*>(calloc(wanted_count + 1, sizeof(Sum)));
  if (sums == nullptr) return;
  uint32_t count = 0;
  for (uint32_t f = 0; f < wanted_count; ++f) {
    Sum& sum = sums[count];
    sum = {f, {}};
    for (const Calls* calls = all_calls; calls != nullptr; calls = calls->next) {
      const Count& one = calls->counts[f];
      sum.count.calls += one.calls;
      sum.count.recorded += one.recorded;
      sum.count.own += one.own;
      sum.count.all += one.all;
      sum.count.ever_thinned = sum.count.ever_thinned || one.ever_thinned;
    }
    if (sum.count.calls == 0) continue;
    if (sum.count.ever_thinned) trouble(Trouble::functions_thinned);
    ++count;
  }
  qsort(sums, count, sizeof(Sum), by_own_time);
  DefinitionLine line("fact");
  line.text("name", "functions").boolean("count_only", count_only).begin_list("list");
  Count others = {};
  for (uint32_t i = 0; i < count; ++i) {
    const Count& one = sums[i].count;
    if (i < most_told) {
      write_count(line, wanted[sums[i].function].name, one, ticks_per_s);
      continue;
    }
    others.calls += one.calls;
    others.recorded += one.recorded;
    others.own += one.own;
  }
  if (others.calls > 0) write_count(line, nullptr, others, ticks_per_s);
  line.end_list().write();
  free(sums);
}

}  // namespace

void begin_functions(Thread& thread, uint64_t at) {
  if (!recording) return;
  begun = true;
  for (; not_patched > 0; --not_patched) trouble(Trouble::functions_not_patched);
  call_before_finish(end_functions);
  if (own == nullptr || count_only) return;
  for (uint32_t i = 0; i < own->depth && i < Calls::most_open; ++i) {
    Open& open = own->open[i];
    if (open.recorded) continue;
    open.recorded = true;
    ++own->counts[open.function].recorded;
    put_region_at(thread, Kind::region_begin, wanted[open.function].region, at);
  }
}

void end_functions() {
  if (!listening || over || !begun || !recording) return;
  const Busy now_busy;
  const LockedHere locked;
  if (list != nullptr && !ever_called)
    trouble(Trouble::no_function_seen);
  else if (list != nullptr && wanted_count == 0)
    trouble(Trouble::no_function_wanted);
  if (own != nullptr) {
    const uint64_t now = ticks();
    if (own->depth > Calls::most_open) own->depth = Calls::most_open;
    while (own->depth > 0) close_one(*own, now);
  }
  write_counts();
  list = nullptr;
  over = true;
}

uint32_t function_named(uint32_t name) {
  const Busy now_busy;
  const LockedHere locked;
  if (over || !listen()) return not_wanted;
  ever_called = true;
  const char* const text = name_text(name);
  return list == nullptr || is_function_wanted(list, text) ? function_called(text) : not_wanted;
}

void enter_function(uint32_t function) {
  if (!busy && !over) enter_wanted(function, nullptr, nullptr);
}

void leave_function(uint32_t function) {
  if (busy || over || own == nullptr) return;
  leave_wanted([&](const Open& open) { return open.address == nullptr && open.function == function; });
}

// A handler's end is told too, and no other's within it.
void patched_function_begins(const void* address, uintptr_t* way_back) {
  if (list == nullptr || busy) return;
  const int error = errno;
  const void* const from = reinterpret_cast<const void*>(*way_back);
  const auto* const frame = reinterpret_cast<const char*>(way_back + 1);
  if (leads_back_here(way_back)) {
    if (handlers == 0) enter(address, way_back);
  } else if (restorer != nullptr && from == restorer) {
    if (lead_back_here(way_back)) is_within_handler(from, frame, true);
  } else if (!is_for_signals(from, frame, true) && enter(address, way_back) && !lead_back_here(way_back)) {
    leave_patched(way_back);
    trouble(Trouble::functions_not_patched);
  }
  errno = error;
}

void patched_function_ends(uintptr_t* way_back) {
  const void* const from = lead_back_there(way_back);
  if (list == nullptr) return;
  const int error = errno;
  if (restorer != nullptr && from == restorer)
    is_within_handler(from, reinterpret_cast<const char*>(way_back + 1), false);
  else
    leave_patched(way_back);
  errno = error;
}

}  // namespace ww::interpose

// What GCC and Clang call at the begin and the end of each function.
extern "C" {
__attribute__((visibility("default"))) void __cyg_profile_func_enter(void* function, void* from) {
  using namespace ww::interpose;
  if (__builtin_expect(list == nullptr, 1)) return;
  if (!is_for_signals(from, static_cast<const char*>(__builtin_dwarf_cfa()), true)) enter(function, nullptr);
}
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void* function, void* from) {
  using namespace ww::interpose;
  if (__builtin_expect(list == nullptr, 1)) return;
  if (!is_for_signals(from, static_cast<const char*>(__builtin_dwarf_cfa()), false)) leave(function);
}
}

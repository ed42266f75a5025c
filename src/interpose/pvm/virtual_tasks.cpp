#include "interpose/pvm/virtual_tasks.hpp"

#include "base/hash.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/message_curves.hpp"
#include "interpose/core/shared_lock.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/virtual_clock.hpp"
#include "interpose/core/virtual_streams.hpp"
#include "interpose/pvm/message_contexts.hpp"
#include "interpose/pvm/tids.hpp"

namespace ww::interpose {

namespace {

// A point of a task's time, real and virtual. ticks 0: none.
struct Point {
  uint64_t ticks;
  double at_s;
};

struct Task {
  uint32_t process;  // 0: it has no clock
  uint32_t ended;
  uint32_t lock;
  uint64_t at;    // its clock when it called last, as bits_of_time
  Point spawns;   // the pvm_spawn that it is in
  Point spawned;  // the one that made it
};

// The barriers of one group. Who is the first to leave one opens the next, which nobody can come to before.
struct Meeting {
  static constexpr uint32_t kept = 4;
  uint64_t group;  // 0: nobody's yet
  uint32_t lock, open;
  double latest_s[kept];  // when the last one's request is at the server
};

constexpr int most_tasks = 64, most_hosts = 64, most_groups = 64;

struct Shared {
  uint32_t lock;
  uint64_t origin;  // 0: not yet
  double ticks_per_s;
  uint32_t host[most_hosts];  // part of tids, and 1; 0: nobody's yet
  Task task[most_tasks];
  Meeting meeting[most_groups];
};

Shared* shared = nullptr;
VirtualTasksPlan plan;
int own_place = -1, own_host = 0, task_count = 0;
bool in_messages = false;
uint64_t messages_began_ns = 0;  // really
double messages_began_s = 0;

Meeting* at_meeting = nullptr;
uint32_t meeting_number = 0;
struct Outside {
  int place, tid;
  uint64_t bytes;
};
Outside told_by{-1, 0, 0};  // what ended the barrier, if it came from outside

size_t own_bytes() {
  constexpr size_t line = 64;
  return (sizeof(Shared) + line - 1) / line * line;
}

double s_of(uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

const MessageCosts& costs_with(int place, int tid) {
  const MessageCosts& costs = target_costs.of(virtual_host_of(place, tid) != own_host);
  if (!costs.known) trouble(Trouble::virtual_no_costs);
  return costs;
}

bool has_clock(int place) {
  return __atomic_load_n(&shared->task[place].process, __ATOMIC_ACQUIRE) != 0;
}

// Of the tasks that have ended.
double latest_end_s() {
  double latest_s = 0;
  for (int place = 0; place < task_count; ++place) {
    const Task& one = shared->task[place];
    if (!has_clock(place) || (__atomic_load_n(&one.ended, __ATOMIC_ACQUIRE) == 0 && !is_gone(one.process)))
      continue;
    const double end_s = time_of_bits(__atomic_load_n(&one.at, __ATOMIC_RELAXED));
    if (end_s > latest_s) latest_s = end_s;
  }
  return latest_s;
}

Meeting* meeting_of(const char* group) {
  const uint64_t hash = fnv1a(group) | 1;
  for (Meeting& one : shared->meeting) {
    uint64_t found = 0;
    if (__atomic_compare_exchange_n(&one.group, &found, hash, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
        found == hash)
      return &one;
  }
  return nullptr;
}

// Where the clock of the task that enrols now begins.
double begins_at_s(uint64_t now, int parent) {
  const double rate_per_s = shared->ticks_per_s;
  Point from{shared->origin, 0};
  {
    Task& own = shared->task[own_place];
    SharedLock held(own.lock);
    if (own.spawned.ticks != 0) from = own.spawned;
  }
  if (from.ticks == shared->origin && parent >= 0) {
    Task& other = shared->task[parent];
    SharedLock held(other.lock);
    if (other.spawns.ticks != 0) from = other.spawns;
  }
  return from.at_s + (now > from.ticks ? static_cast<double>(now - from.ticks) / rate_per_s : 0);
}

}  // namespace

size_t virtual_tasks_memory(int tasks) {
  return own_bytes() + ports_memory(most_hosts, tasks) + streams_memory(tasks);
}

void begin_virtual_tasks(void* memory, int tasks, int place, int tid, int parent,
                         const VirtualTasksPlan& given, double ticks_per_s) {
  shared = static_cast<Shared*>(memory);
  plan = given;
  own_place = place;
  task_count = tasks;
  char* const after = static_cast<char*>(memory) + own_bytes();
  start_ports(after, most_hosts, tasks);
  start_streams(after + ports_memory(most_hosts, tasks), tasks);
  {
    SharedLock held(shared->lock);
    if (shared->origin == 0) {
      shared->origin = ticks();
      shared->ticks_per_s = ticks_per_s;
    }
  }
  own_host = virtual_host_of(place, tid);
  start_virtual_clock(shared->origin, shared->ticks_per_s, plan.compute, begins_at_s(ticks(), parent));
  __atomic_store_n(&shared->task[place].process, static_cast<uint32_t>(getpid()), __ATOMIC_RELEASE);
}

uint64_t since_virtual_zero_ns() {
  return static_cast<uint64_t>(static_cast<double>(ticks() - shared->origin) / shared->ticks_per_s * 1e9);
}

int virtual_host_of(int place, int tid) {
  if (plan.tasks_per_host > 0) return (place < 0 ? 0 : place) / plan.tasks_per_host;
  const uint32_t wanted = host_part(tid) + 1;
  for (int at = 0; at < most_hosts; ++at) {
    uint32_t found = 0;
    if (__atomic_compare_exchange_n(&shared->host[at], &found, wanted, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) ||
        found == wanted)
      return at;
  }
  return most_hosts - 1;
}

void tell_virtual_clock(bool has_ended) {
  Task& own = shared->task[own_place];
  __atomic_store_n(&own.at, bits_of_time(virtual_now_s()), __ATOMIC_RELAXED);
  if (has_ended) __atomic_store_n(&own.ended, 1, __ATOMIC_RELEASE);
}

void begin_messages() {
  worked_in_call();
  tell_virtual_clock(false);
  in_messages = true;
  messages_began_ns = real_ns(CLOCK_MONOTONIC);
  messages_began_s = virtual_now_s();
}

void end_messages() {
  in_messages = false;
  add_virtual_sleep(*this_thread, 0);
}

void worked_in_call() {
  if (!in_messages) add_virtual_work(*this_thread);
}

WaitsOutside::WaitsOutside() {
  if (in_messages) return;
  worked_in_call();
  begin_ns_ = real_ns(CLOCK_MONOTONIC);
}
WaitsOutside::~WaitsOutside() {
  if (begin_ns_ != 0) add_virtual_sleep(*this_thread, s_of(real_ns(CLOCK_MONOTONIC) - begin_ns_));
}

void departs_virtually(int place, int tid, int tag, uint64_t bytes) {
  if (place < 0) return;
  const MessageCosts& costs = costs_with(place, tid);
  // Where the model has large messages wait for their receivers this one only takes as long.
  const bool large = costs.rendezvous(bytes);
  Passage out{};
  if (large) {
    reach_virtually(virtual_now_s() + costs.send.at(bytes));
    out = pass_sending_port(own_host, virtual_now_s() + costs.reply.at(bytes), costs.port.at(bytes));
  } else {
    out = leave_by_port(costs, bytes, own_host, own_place, place).out;
  }
  note_written(own_place, place, virtual_now_s(), out.end_s, virtual_looked_s());
  put_stamp(place, {.comm = message_context(),
                    .bytes = bytes,
                    .when = bits_of_time(out.begin_s),
                    .tag = tag,
                    .until = bits_of_time(out.end_s)});
  if (at_meeting == nullptr) return;
  const double there_s = out.end_s + costs.head_s(bytes) + costs.receive.at(bytes);
  SharedLock held(at_meeting->lock);
  double& latest_s = at_meeting->latest_s[meeting_number % Meeting::kept];
  if (there_s > latest_s) latest_s = there_s;
}

void arrives_virtually(int place, int tid, const Stamp& stamp) {
  VirtualArrivals arrivals;
  arrivals.add(costs_with(place, tid), stamp.bytes, {time_of_bits(stamp.when), time_of_bits(stamp.until)},
               own_host, place, own_place);
}

void arrives_unstamped(int place, int tid, uint64_t bytes) {
  const bool is_outside = place < 0 || !has_clock(place);
  trouble(is_outside ? Trouble::virtual_from_outside : Trouble::departure_unknown);
  if (is_outside && at_meeting != nullptr)
    told_by = {place, tid, bytes};
  else if (is_daemon(tid))
    reach_virtually(latest_end_s());
  else
    reach_virtually(virtual_now_s() + s_of(real_ns(CLOCK_MONOTONIC) - messages_began_ns));
}

void found_by_probe(int place, int tid, const Stamp& stamp) {
  const MessageCosts& costs = costs_with(place, tid);
  reach_virtually(time_of_bits(stamp.until) + costs.head_s(stamp.bytes));
}

void took_any(int asked_tag, int from_place, const Stamp& stamp) {
  trouble(Trouble::virtual_wildcard);
  // By what the receive asked for: the latest that one took.
  struct Latest {
    int tag, from;
    double when_s;
  };
  static Latest latest[16];
  Latest& before = latest[static_cast<uint32_t>(asked_tag) % 16];
  const double when_s = time_of_bits(stamp.when);
  if (before.tag != asked_tag || when_s >= before.when_s)
    before = {asked_tag, from_place, when_s};
  else if (before.from != from_place)
    trouble(Trouble::virtual_wildcard_order);
}

void waited_in_vain(double at_most_s) {
  if (at_most_s <= 0) return found_nothing();
  reach_virtually(virtual_now_s() + at_most_s);
}

void waited_at_most(double at_most_s) {
  if (virtual_now_s() > messages_began_s + at_most_s) trouble(Trouble::virtual_after_timeout);
}

void spawning() {
  Task& own = shared->task[own_place];
  SharedLock held(own.lock);
  own.spawns = {ticks(), virtual_now_s()};
}

void spawned(int place) {
  if (place < 0) return;
  Task& child = shared->task[place];
  SharedLock held(child.lock);
  child.spawned = shared->task[own_place].spawns;
}

void spawn_is_over() {
  Task& own = shared->task[own_place];
  SharedLock held(own.lock);
  own.spawns = {};
}

void comes_to_barrier(const char* group) {
  at_meeting = meeting_of(group);
  told_by.place = -1;
  told_by.tid = 0;
  if (at_meeting == nullptr) return;
  SharedLock held(at_meeting->lock);
  meeting_number = at_meeting->open;
}

void leaves_barrier(bool was_one) {
  if (at_meeting == nullptr) return;
  double latest_s = 0;
  {
    SharedLock held(at_meeting->lock);
    latest_s = at_meeting->latest_s[meeting_number % Meeting::kept];
    if (was_one && at_meeting->open == meeting_number)
      at_meeting->latest_s[++at_meeting->open % Meeting::kept] = 0;
  }
  at_meeting = nullptr;
  if (!was_one || told_by.tid == 0) return;
  const MessageCosts& costs = costs_with(told_by.place, told_by.tid);
  reach_virtually(latest_s + costs.send.at(told_by.bytes) + costs.flight.at(told_by.bytes) +
                  costs.receive.at(told_by.bytes));
}

}  // namespace ww::interpose

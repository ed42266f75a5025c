#include "interpose/pvm/task.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core/call_names.hpp"
#include "interpose/core/code_files.hpp"
#include "interpose/core/code_range.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/injection.hpp"
#include "interpose/core/markers.hpp"
#include "interpose/core/memory_use.hpp"
#include "interpose/core/message_curves.hpp"
#include "interpose/core/own_dilation.hpp"
#include "interpose/core/peers.hpp"
#include "interpose/core/process_facts.hpp"
#include "interpose/core/program_clock.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/seen_functions.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/core/virtual_clock.hpp"
#include "interpose/pvm/passed_costs.hpp"
#include "interpose/pvm/static_program.hpp"
#include "interpose/pvm/task_departures.hpp"
#include "library/pvm.hpp"

namespace ww::interpose {

thread_local bool asking = false;

namespace {

thread_local int depth = 0;  // of calls before the recorder is on
bool tried = false;          // to begin: a process is recorded once
ClockPair first_pair;

// Where libpvm3's code is: of a program that has it in its own, all of that.
CodeRange library_code;
bool among_other_code = false;

// libpvm3's own: negative before the process is enrolled.
int own_tid() {
  static const int* tid = nullptr;
  if (tid == nullptr) tid = pvm_tid();
  return tid == nullptr ? -1 : *tid;
}

void write_process(const ClockPair& now, int tid, const Wishes& wishes) {
  static NextOfPvm<char*()> version{"pvm_version"};
  const Asking ask;
  DefinitionLine line("process");
  line.address("address", static_cast<uint64_t>(tid));
  add_process(line, {.library = library::pvm.name,
                     .version = version.get()(),
                     .now = now,
                     .ticks_per_s = rate(first_pair, now),
                     .dilation = wishes.dilation,
                     .virtual_host = virtual_time && wishes.ranks_per_host > 0 ? own_virtual_host() : -1});
  line.write();
}

constexpr int option_route = 1, route_direct = 3;  // PvmRoute, PvmRouteDirect

// Buffers whose data stay in place until they are sent, by number; those that are open are few.
struct InPlace {
  static constexpr uint32_t kept = 64;
  int buffer;
  uint64_t bytes;
} in_place[InPlace::kept];

InPlace* in_place_of(int buffer) {
  InPlace& one = in_place[static_cast<uint32_t>(buffer) % InPlace::kept];
  return one.buffer == buffer ? &one : nullptr;
}

void begin_dilation(const Wishes& wishes, int tid, double ticks_per_s) {
  set_stretch(wishes.stretch, ticks_per_s, make_progress);
  if (wishes.injects) {
    read_costs(0);
    set_injection(wishes.dilation, ticks_per_s);
    measure_ready_receives(tid, ticks_per_s);
  }
  if (wishes.dilation > 1) allow_own_dilation(wishes.dilation, wishes.wire_follows);
}

void begin_sharing(const Wishes& wishes, int tid, double ticks_per_s) {
  if (wishes.virtual_time) read_costs(0);
  share_departures(
      {wishes.spool_dir, wishes.virtual_time, {wishes.compute, wishes.ranks_per_host}, ticks_per_s}, tid);
}

int sending_buffer() {
  static NextOfPvm<int()> getsbuf{"pvm_getsbuf"};
  const Asking ask;
  return getsbuf.get()();
}

InBuffer about(int buffer) {
  static NextOfPvm<int(int, int*, int*, int*)> bufinfo{"pvm_bufinfo"};
  const Asking ask;
  int bytes = 0, tag = 0, from = 0;
  if (bufinfo.get()(buffer, &bytes, &tag, &from) < 0) return {0, -1, -1};
  return {static_cast<uint64_t>(bytes > 0 ? bytes : 0), from, tag};
}

}  // namespace

Enrolling::Enrolling() : entered_(0) {
  if (depth++ == 0 && first_pair.monotonic_ns == 0) {
    choose_clock();
    first_pair = clock_pair();
  }
  entered_ = ticks();
}
Enrolling::~Enrolling() {
  --depth;
}
bool Enrolling::is_over() const {
  return depth == 1 && !tried && own_tid() > 0;
}

void begin_task(uint16_t id, uint64_t entered) {
  pass_costs_on(getenv(environment::spool_dir));
  const Wishes wishes = read_wishes();
  tried = true;
  if (wishes.spool_dir == nullptr) return;
  const int tid = own_tid();
  constexpr int some_tasks = 64;  // how many there are nobody says
  start_task(wishes, static_cast<uint64_t>(tid), some_tasks, false);
  if (!recording) {
    dilating = false;
    return;
  }
  touch_own_code();
  library_code = code_around(pvm_function("pvm_send"));
  among_other_code = has_own_pvm();
  const ClockPair now = clock_pair();
  select(wishes.selection, {call_names, call_classes, calls_count}, ticks(), rate(first_pair, now));
  DefinitionLine("calls").raw("names", call_names_json).raw("meanings", call_meanings_json).write();
  DefinitionLine("comm").number("id", 0).text("kind", "world").text("name", library::pvm.title).write();
  if (wishes.stamps) begin_sharing(wishes, tid, rate(first_pair, now));
  write_process(now, tid, wishes);
  write_route();
  if (wishes.emulates()) begin_dilation(wishes, tid, rate(first_pair, now));
  begin_usage();
  Thread* const thread = attach_thread();
  if (thread == nullptr) return;
  if (virtual_time) entered = leave_virtually(*thread);
  const uint64_t left = virtual_time ? entered : ticks();
  const auto put_one = [&](int call, uint64_t from, uint64_t until) {
    put(thread->spool, {from, until, 0, 0, spool::no_peer, 0, 0, static_cast<uint8_t>(spool::Kind::call), 0,
                        static_cast<uint16_t>(call)});
  };
  if (id != enrolling_call) put_one(enrolling_call, entered, entered);
  put_one(id, entered, left);
  thread->last_leave = left;
  begin_early_regions(*thread, left);
  begin_functions(*thread, left);
  begin_memory();
  if (!dilating) return;
  computes_from(*thread, left);
  if (!wishes.real_clock) start_program_clock(wishes.dilation, virtual_time ? since_virtual_zero_ns() : 0);
  begin_own_dilation();
}

void write_route() {
  static NextOfPvm<int(int)> getopt{"pvm_getopt"};
  const Asking ask;
  DefinitionLine("fact")
      .text("name", "route")
      .boolean("direct", getopt.get()(option_route) == route_direct)
      .write();
}

void end_task() {
  end_functions();
  end_usage();
  if (dilating) {
    write_code_files();
    if (!virtual_time) write_stretch("single");
    stop_program_clock();
  }
  stop_virtual_clock();
  dilating = false;
  stop_sharing_departures();
  // Whoever waits for this task takes its spools then, and maps what is cut off here.
  finish("finalize", close_all_spools);
  this_thread = nullptr;
}

int32_t peer_of(int tid) {
  return peer_index(static_cast<uint32_t>(tid));
}

bool is_of_library(const void* code) {
  if (!library_code.holds(code)) return false;
  return !among_other_code || (this_thread != nullptr && this_thread->inside != nullptr);
}

void made_buffer(int buffer, int encoding) {
  constexpr int left_in_place = 2;  // PvmDataInPlace
  if (encoding == left_in_place)
    in_place[static_cast<uint32_t>(buffer) % InPlace::kept] = {buffer, 0};
  else if (InPlace* const before = in_place_of(buffer))
    before->buffer = 0;
}

void packed(uint64_t bytes) {
  if (InPlace* const into = in_place_of(sending_buffer())) into->bytes += bytes;
}

uint64_t bytes_to_send() {
  const int buffer = sending_buffer();
  if (buffer <= 0) return 0;
  const InPlace* const counted = in_place_of(buffer);
  return counted != nullptr ? counted->bytes : about(buffer).bytes;
}

InBuffer received(int buffer) {
  return about(buffer);
}

bool is_sent_before(const int* tids, int at) {
  for (int i = 0; i < at; ++i)
    if (tids[i] == tids[at]) return true;
  return false;
}

}  // namespace ww::interpose
